//! What JavaScript costs here: `cargo run --release -p stepwell-script --example js_figures`.
//!
//! The sketch: a call is two hops between threads, JSON in and out, and a copy of the engine's image.
//! Prints medians; judges nothing.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "prints figures, for people")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use stepwell_script::js::{Bundle, Call, JsPool, Library, PoolOptions, Program};

const STEP: &str = "
interface Input { id: number; items: { price: number }[] }
export default function step(input: Input) {
  const total = input.items.reduce((sum, item) => sum + item.price, 0);
  return { id: input.id, total, note: `order ${input.id}` };
}";

fn compile(text: &str) -> Arc<Program> {
    Program::compile(&Bundle::single("step.ts", text), &Library::new()).unwrap()
}

fn call() -> Call {
    let input = json!({ "id": 7, "items": [{ "price": 1.5 }, { "price": 2 }, { "price": 40 }] });
    Call::default().arg(&input).unwrap()
}

fn print(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6;
    println!("{name:<52} median {:>9.1} us   p95 {:>9.1} us", at(50), at(95));
}

async fn time_calls(name: &str, n: usize, pool: &JsPool, program: &Arc<Program>) {
    let mut times = Vec::new();
    for _ in 0..n {
        let started = Instant::now();
        pool.call(program, call()).await.unwrap();
        times.push(started.elapsed());
    }
    print(name, times);
}

async fn time_first_calls(name: &str, program: &Arc<Program>) {
    let mut times = Vec::new();
    for _ in 0..30 {
        let pool = JsPool::new(PoolOptions::default());
        let started = Instant::now();
        pool.call(program, call()).await.unwrap();
        times.push(started.elapsed());
    }
    print(name, times);
}

async fn throughput(name: &str, pool: &JsPool, program: &Arc<Program>) {
    let (n_tasks, n_calls) = (64, 500);
    let started = Instant::now();
    let tasks: Vec<_> = (0..n_tasks)
        .map(|_| {
            let (pool, program) = (pool.clone(), program.clone());
            tokio::spawn(async move {
                for _ in 0..n_calls {
                    pool.call(&program, call()).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let per_second = f64::from(n_tasks * n_calls) / started.elapsed().as_secs_f64();
    println!("{name:<52} {per_second:>9.0} calls/s");
}

#[tokio::main]
async fn main() {
    let mut times = Vec::new();
    for n in 0..50 {
        let text = format!("{}\n// {n}", STEP.replace("step(", &format!("step{n}(")));
        let started = Instant::now();
        compile(&text);
        times.push(started.elapsed());
    }
    print("compile a small file", times);

    let plain = compile(STEP);
    let zod = compile(&format!(
        "import {{ z }} from 'zod';\nexport const input = z.object({{ id: z.number() }});\n{STEP}"
    ));
    let parses = compile(&format!(
        "import {{ z }} from 'zod';\nconst schema = z.object({{ id: z.number() }});\nschema.safeParse({{}});\n{}",
        STEP.replace("const total", "schema.parse(input); const total")
    ));
    let waits =
        compile("export default () => new Promise((done) => queueMicrotask(() => done(1)));");

    time_first_calls("first call of a new pool: engine, load, call", &plain).await;
    time_first_calls("first call of a new pool, with Zod", &zod).await;
    let pool = JsPool::new(PoolOptions::default());
    time_calls("a call, each on a fresh engine", 3_000, &pool, &plain).await;
    time_calls("an async call", 3_000, &pool, &waits).await;
    time_calls("a call of a file that imports Zod", 3_000, &pool, &zod).await;
    time_calls("a call that parses with Zod", 3_000, &pool, &parses).await;
    throughput("64 callers at once", &pool, &plain).await;
    throughput("64 callers at once, with Zod", &pool, &zod).await;
}
