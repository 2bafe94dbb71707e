//! Ale: hostile scripts end in an error of their own, and nothing else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use stepwell_script::{
    ARGS_MAX, AleScript, CallOptions, ErrorKind, JSON_DEPTH_MAX, SOURCE_BYTES_MAX, ScriptError,
    ScriptLimits,
};
use tokio_util::sync::CancellationToken;

/// Little of everything, so that the tests are quick.
const SMALL: ScriptLimits = ScriptLimits {
    time_ms: 20_000,
    memory_bytes: 4 << 20,
    stack_bytes: 512 << 10,
    recursion_max: 2_000,
    steps_max: 1_000_000,
    output_bytes: 64 << 10,
};

fn call(source: &str, limits: ScriptLimits) -> Result<Value, ScriptError> {
    let options = CallOptions { limits, ..CallOptions::default() };
    AleScript::compile::<&str>(source, &[])?.call(&Map::new(), &options)
}

/// Enough steps to run into another limit first.
const MANY_STEPS: ScriptLimits = ScriptLimits { steps_max: 100_000_000, ..SMALL };

fn fails(source: &str, limits: ScriptLimits, kind: ErrorKind, message: &str) {
    let error = call(source, limits).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (kind, message), "{source}");
}

const STEPS: &str = "the script took more than 1000000 steps";
const MEMORY: &str = "the script's values need more than 4194304 bytes of memory";
const DEPTH: &str = "more than 2000 nested calls";

#[test]
fn work_without_end_runs_out_of_steps() {
    for source in [
        "(define (f) (f)) (f)",
        "(define (f x) (g x)) (define (g x) (f x)) (f 1)",
        "((lambda (x) (x x)) (lambda (x) (x x)))",
        "(filter (lambda (x) false) (range))",
        "(last (filter zero? (iterate inc 1)))",
        "(define (f n) (apply f [(inc n)])) (f 1)",
        "(define (f n) ((partial f n))) (f 1)",
        "(try ((lambda-rec f () (f))) (catch e :caught))",
        "(define (f) (try (raise 1) (catch e 2)) (f)) (f)",
        "(let-rec [s (lazy-seq (concat s s))] (drop 100000000 (repeat 1)))",
        "(every? identity (repeat true))",
        "(length (repeat 1))",
        "(last (repeat 1))",
        "(nth (repeat 1) 100000000)",
        "(define ones (lazy-seq (cons 1 ones))) (length ones)",
        "(reduce + (range))",
        "(map (lambda (x) ((lambda-rec f () (f)))) [1])",
    ] {
        fails(source, SMALL, ErrorKind::TimedOut, STEPS);
    }
}

#[test]
fn work_that_takes_too_long_is_stopped() {
    let limits = ScriptLimits { time_ms: 50, steps_max: u64::MAX, ..SMALL };
    let started = Instant::now();
    let error = call("(define (f) (f)) (f)", limits).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::TimedOut, "the script took longer than 50 ms")
    );
    assert!(started.elapsed() >= Duration::from_millis(50));
}

#[test]
fn a_cancelled_call_ends() {
    let cancel = CancellationToken::new();
    let limits = ScriptLimits { steps_max: u64::MAX, time_ms: 600_000, ..SMALL };
    let options = CallOptions { limits, cancel: Some(cancel.clone()), ..CallOptions::default() };
    let script = AleScript::compile::<&str>("(define (f) (f)) (f)", &[]).unwrap();
    let error = std::thread::scope(|scope| {
        let running = scope.spawn(|| script.call(&Map::new(), &options));
        cancel.cancel();
        running.join().unwrap().unwrap_err()
    });
    assert_eq!(error.kind, ErrorKind::Cancelled);
}

#[test]
fn values_without_end_run_out_of_memory() {
    for source in [
        "(define (f s) (f (str s s))) (f \"ab\")",
        "(define (f s) (f (conj s s))) (f [])",
        "(define (f s) (f (concat! s s))) (f [1])",
        "(seq->vector (range))",
        "(apply + (repeat 1))",
        "(reverse (repeat 1))",
        "(sort (repeat 1))",
        "(str (repeat 1))",
        "(join \",\" (repeat 1))",
        "(eq (repeat 1) (repeat 1))",
        "(define ones (lazy-seq (cons 1 ones))) (str ones)",
        "(define (f o n) (f (assoc o n n) (inc n))) (f {} 0)",
        "(define (f n) (keyword (str n)) (f (inc n))) (f 0)",
        "(define s (apply str (repeat 10000 \"a\"))) (replace s \"a\" s)",
        "(define (f l) (f (cons l l))) (f '())",
        "(repeat [1 2 3])",
        "{:a (range)}",
    ] {
        fails(source, MANY_STEPS, ErrorKind::OutOfMemory, MEMORY);
    }
}

#[test]
fn garbage_is_no_memory() {
    // Each makes many times more than fits at once.
    for (source, expected) in [
        ("(reduce + (range 60000))", json!(1_799_970_000)),
        (
            "(define (f n s) (if (= n 0) (length s) (f (dec n) (str n s \"x\")))) (f 300 \"\")",
            json!(1092),
        ),
        (
            "(define (f n v) (if (= n 0) (first v) (f (dec n) [n (first v)]))) (f 60000 [])",
            json!(1),
        ),
        (
            "(reduce (lambda (o i) (assoc o (mod i 10) i)) {} (range 20000))",
            json!({
                "0": 19990, "1": 19991, "2": 19992, "3": 19993, "4": 19994,
                "5": 19995, "6": 19996, "7": 19997, "8": 19998, "9": 19999,
            }),
        ),
    ] {
        let limits = ScriptLimits { memory_bytes: 2 << 20, ..MANY_STEPS };
        assert_eq!(call(source, limits), Ok(expected), "{source}");
    }
}

#[test]
fn recursion_has_a_bound_and_tail_calls_have_none() {
    for source in [
        "(define (f n) (+ 1 (f n))) (f 1)",
        "(define (f n) (g n) 1) (define (g n) (f n) 1) (f 1)",
        "(define (f n) [(f n)]) (f 1)",
        "(first (reduce (lambda (s i) (map inc s)) (range) (range 3000)))",
        "(let-rec [nest (lambda (s n) (if (= n 0) s (lazy-seq (cons 1 (nest (map inc s) (dec n))))))] (nth (nest (range) 2500) 2501))",
        "(try ((lambda-rec f () (+ 1 (f)))) (catch e :caught))",
        "(define (f) (try (raise 1) (catch e (f)))) (f)",
    ] {
        fails(source, SMALL, ErrorKind::StackOverflow, DEPTH);
    }
    let deep = "(define (f n) (if (= n 0) 0 (+ 1 (f (dec n))))) (f 1990)";
    assert_eq!(call(deep, SMALL), Ok(json!(1990)));
    for tail in [
        "(define (f n) (if (= n 0) :done (f (dec n)))) (f 20000)",
        "(define (f n) (cond [(= n 0) :done] [:else (let [m (dec n)] (begin (f m)))])) (f 20000)",
        "(define (f n) (and true (or false (when true (g n))))) (define (g n) (if (= n 0) :done (f (dec n)))) (f 20000)",
        "(define (f n) (if (= n 0) :done (apply f [(dec n)]))) (f 20000)",
        "(define (f n) (if (= n 0) :done ((partial f (dec n))))) (f 20000)",
        "(define (f n) (-> n dec g)) (define (g n) (if (= n 0) :done (f n))) (f 20000)",
        "(define-lambda f [(n) (f n 0)] [(n _) (if (= n 0) :done (f (dec n)))]) (f 20000)",
    ] {
        assert_eq!(call(tail, SMALL), Ok(json!("done")), "{tail}");
    }
    // A sequence of sequences that are each the same as the next.
    let chain = "(define (f n) (lazy-seq (if (= n 0) [:done] (f (dec n))))) (first (f 20000))";
    assert_eq!(call(chain, SMALL), Ok(json!("done")));
}

#[test]
fn arguments_by_the_million_are_refused() {
    let limits =
        ScriptLimits { time_ms: 300_000, memory_bytes: 512 << 20, steps_max: 200_000_000, ..SMALL };
    let script = AleScript::compile("(apply (lambda args (length args)) ones)", &["ones"]).unwrap();
    let args = Map::from_iter([("ones".to_owned(), json!(vec![1; 1_100_000]))]);
    let options = CallOptions { limits, ..CallOptions::default() };
    let error = script.call(&args, &options).unwrap_err();
    assert_eq!(error.kind, ErrorKind::StackOverflow);
    assert_eq!(error.message, "more than 1048576 arguments and local values at once");
}

#[test]
fn values_that_nest_deeply_are_walked_without_recursion() {
    let nest = "(define (nest n v) (if (= n 0) v (nest (dec n) [v])))";
    let limits = ScriptLimits {
        memory_bytes: 64 << 20,
        steps_max: 100_000_000,
        output_bytes: 8 << 20,
        ..SMALL
    };
    let call = |source: &str| call(&format!("{nest} {source}"), limits);
    assert_eq!(call("(length (str (nest 100000 1)))"), Ok(json!(200_001)));
    assert_eq!(call("(eq (nest 100000 1) (nest 100000 1))"), Ok(json!(true)));
    assert_eq!(call("(eq (nest 100000 1) (nest 100000 2))"), Ok(json!(false)));
    assert_eq!(call("(length (set (nest 50000 1) (nest 50000 2) (nest 50000 1)))"), Ok(json!(2)));
    assert_eq!(call("(length (nest 200000 1))"), Ok(json!(1)));
    let error = call("(nest 100000 1)").unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotJson);
    assert_eq!(error.message, "the result is nested more than 100 levels deep");
    let lists = "(define (nest-list n v) (if (= n 0) v (nest-list (dec n) (list v)))) (length (str! (nest-list 100000 '())))";
    assert_eq!(call(lists), Ok(json!(200_002)));
    let pairs = "(length (str (reduce (lambda (p i) (cons p i)) 0 (range 20000))))";
    assert!(call(pairs).is_ok());
    let closures = "((reduce (lambda (f i) (lambda () f)) (lambda () 1) (range 20000))) :ok";
    assert_eq!(call(closures), Ok(json!("ok")));
}

#[test]
fn the_reader_and_the_compiler_bound_their_depth() {
    // A small stack: whatever recursion is left must fit.
    let check = || {
        for (open, close) in [
            ("(", ")"),
            ("[", "]"),
            ("{:a ", "}"),
            ("#{", "}"),
            ("'", ""),
            ("(lambda () ", ")"),
            ("(let [x 1] ", ")"),
        ] {
            let nested = |n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
            let quoted = |n: usize| format!("(quote {}1{})", open.repeat(n), close.repeat(n));
            let error = call(&nested(20_000), SMALL).unwrap_err();
            assert_eq!(error.message, "nested more than 200 levels deep", "{open}");
            // Deep enough to be read; what it gives is another matter.
            let _ = call(&nested(190), SMALL);
            let _ = call(&quoted(190), SMALL);
        }
        let steps = "inc ".repeat(20_000);
        assert_eq!(call(&format!("(-> 0 {steps})"), SMALL), Ok(json!(20_000)));
        let clauses = "[false 1] ".repeat(20_000);
        assert_eq!(call(&format!("(cond {clauses} [:else 2])"), SMALL), Ok(json!(2)));
        assert_eq!(call(&format!("(or {} 3)", "false ".repeat(20_000)), SMALL), Ok(json!(3)));
        let bindings: String = (0..5_000).map(|n| format!("[x{n} {n}] ")).collect();
        assert_eq!(call(&format!("(let* ({bindings}) x4999)"), SMALL), Ok(json!(4999)));
        let error = call(&format!("(some-> 1 {steps})"), SMALL).unwrap_err();
        assert_eq!(error.message, "nested more than 400 levels deep");
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(check).unwrap().join().unwrap();
}

#[test]
fn numbers_grow_to_a_bound() {
    let error = call("(define (f n) (f (* n n))) (f 3)", SMALL).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Thrown);
    assert!(error.message.contains("262,144 bits"), "{}", error.message);
    let error = call("(define (f r) (f (* r r))) (f 3/2)", SMALL).unwrap_err();
    assert!(error.message.contains("ratios 16,384"), "{}", error.message);
    // About as long as an integer gets: it is made, printed and read back.
    let source = "(let [n (expt 7 90000)] (= n (parse-number (str n))))";
    assert_eq!(call(source, ScriptLimits { steps_max: u64::MAX, ..SMALL }), Ok(json!(true)));
}

#[test]
fn results_have_a_bound() {
    for source in [
        "(repeat 70000 1)",
        "(apply str (repeat 70000 \"x\"))",
        "{:a (apply str (repeat 70000 \"x\"))}",
    ] {
        let limits = ScriptLimits { memory_bytes: 64 << 20, ..MANY_STEPS };
        let error = call(source, limits).unwrap_err();
        assert_eq!(
            (error.kind, error.message.as_str()),
            (ErrorKind::OutputTooLarge, "the result is longer than 65536 bytes"),
            "{source}"
        );
    }
    // Small in memory, endless as text: each level holds the one below twice.
    fails(
        "(define (twice n v) (if (= n 0) v (twice (dec n) [v v]))) (twice 60 1)",
        SMALL,
        ErrorKind::OutputTooLarge,
        "the result is longer than 65536 bytes",
    );
}

#[test]
fn sources_and_arguments_have_bounds() {
    let source = " ".repeat(SOURCE_BYTES_MAX + 1);
    let error = AleScript::compile::<&str>(&source, &[]).unwrap_err();
    assert_eq!(error.message, "the source has 524289 bytes, more than 524288");
    let names: Vec<String> = (0..=ARGS_MAX).map(|n| format!("a{n}")).collect();
    let error = AleScript::compile("1", &names).unwrap_err();
    assert_eq!(error.message, "a script has at most 150 arguments, not 151");

    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let script = AleScript::compile("x", &["x"]).unwrap();
    let with = |value: Value| {
        let args = [("x".to_owned(), value)].into_iter().collect();
        script.call(&args, &CallOptions::default())
    };
    assert!(with(nested(JSON_DEPTH_MAX)).is_ok());
    let error = with(nested(JSON_DEPTH_MAX + 1)).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::NotJson, "an argument is nested more than 100 levels deep")
    );

    let large = json!((0..200_000).collect::<Vec<_>>());
    let options = CallOptions { limits: SMALL, ..CallOptions::default() };
    let args = [("x".to_owned(), large)].into_iter().collect();
    assert_eq!(script.call(&args, &options).unwrap_err().kind, ErrorKind::OutOfMemory);
    // What the script does not mention costs nothing.
    let other = AleScript::compile("1", &["x"]).unwrap();
    assert_eq!(other.call(&args, &options), Ok(json!(1)));
}

#[test]
fn calls_at_once_do_not_meet() {
    let source = "(define x (* n 2)) (reduce + (map (lambda (i) (+ x i)) (range 100)))";
    let script = Arc::new(AleScript::compile(source, &["n"]).unwrap());
    let threads: Vec<_> = (0..4)
        .map(|thread| {
            let script = script.clone();
            std::thread::spawn(move || {
                for n in 0..50 {
                    let args = json!({"n": thread * 1000 + n});
                    let result = script.call(args.as_object().unwrap(), &CallOptions::default());
                    assert_eq!(result, Ok(json!((thread * 1000 + n) * 200 + 4950)));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
