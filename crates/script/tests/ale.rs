//! Ale: what expressions give, as data.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use serde_json::{Map, Value, json};
use stepwell_script::{AleScript, CallOptions, ErrorKind, Expected, ScriptError, outputs_of};

fn eval(source: &str, args: &Map<String, Value>) -> Result<String, ScriptError> {
    let names: Vec<&String> = args.keys().collect();
    AleScript::compile(source, &names)?.print(args, &CallOptions::default())
}

/// Each source gives the value as printed or, after `!`, an error: `!line:column message`.
fn check(cases: &[(&str, &str)]) {
    check_with(&Map::new(), cases);
}

fn check_with(args: &Map<String, Value>, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(source, expected)| {
            let got = match eval(source, args) {
                Ok(value) => value,
                Err(error) => match &error.position {
                    Some(at) => format!("!{}:{} {}", at.line, at.column, error.message),
                    None => format!("!{}", error.message),
                },
            };
            (got != *expected)
                .then(|| format!("{source}\n   expected {expected}\n        got {got}"))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} cases are wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn literals_give_themselves() {
    check(&[
        ("42", "42"),
        ("-7", "-7"),
        ("+7", "7"),
        ("0xff", "255"),
        ("-0b101", "-5"),
        ("1/3", "1/3"),
        ("4/2", "2"),
        ("-6/4", "-3/2"),
        ("2.50", "2.5"),
        ("1e3", "1000.0"),
        ("1.5E-7", "1.5e-7"),
        ("-0.0", "-0.0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("#t", "#t"),
        ("false", "#f"),
        ("null", "()"),
        ("'()", "()"),
        ("()", "()"),
        (":name", ":name"),
        ("\"a\\tb\\\"c\\\\d\\n\"", "\"a\\tb\\\"c\\\\d\\n\""),
        ("\"two\nlines\"", "\"two\\nlines\""),
        ("\"\\s|\"", "\" |\""),
        ("[1 [2 :b] \"c\"]", "[1 [2 :b] \"c\"]"),
        ("{:b 2 :a 1}", "{:a 1 :b 2}"),
        ("{\"x\" 1 \"not a name\" 2}", "{\"not a name\" 2 :x 1}"),
        ("#{3 1 2 1}", "#{1 2 3}"),
        ("'sym", "sym"),
        ("'(a 1 \"b\" [c] {:d e})", "(a 1 \"b\" [c] {:d e})"),
        ("'(a . b)", "(a . b)"),
        ("'(a b . c)", "(a b . c)"),
        ("'(a . (b c))", "(a b c)"),
        ("''x", "(quote x)"),
        ("+inf", "+inf"),
        ("[-inf nan]", "[-inf nan]"),
        ("", "()"),
        ("1 2 3", "3"),
        ("; a comment\n5 ; another", "5"),
        ("#| a #| nested |# comment |# 6", "6"),
    ]);
}

#[test]
fn arithmetic_is_exact_and_never_overflows() {
    check(&[
        ("(+)", "0"),
        ("(*)", "1"),
        ("(+ 9 10 23)", "42"),
        ("(- 6)", "-6"),
        ("(- 50 35 6)", "9"),
        ("(* 9 10 23)", "2070"),
        ("(/ 10 3)", "10/3"),
        ("(/ 10 2 5)", "1"),
        ("(/ 4)", "1/4"),
        ("(/ 10 4.0)", "2.5"),
        ("(+ 1/3 2/3)", "1"),
        ("(* 2/3 3/4)", "1/2"),
        ("(+ 1/2 0.25)", "0.75"),
        ("(+ 50 12.6 34.8)", "97.4"),
        ("(+ 9223372036854775807 1)", "9223372036854775808"),
        ("(- -9223372036854775808 1)", "-9223372036854775809"),
        ("(* 4611686018427387904 4)", "18446744073709551616"),
        ("(- 9223372036854775808 1)", "9223372036854775807"),
        ("(expt 2 100)", "1267650600228229401496703205376"),
        ("(expt 2 -2)", "1/4"),
        ("(expt 1/2 3)", "1/8"),
        ("(expt 2.0 3)", "8.0"),
        ("(expt -1 1000000000001)", "-1"),
        ("(mod 10 3)", "1"),
        ("(mod -10 3)", "2"),
        ("(mod 10 -3)", "-2"),
        ("(mod 100 8 7)", "4"),
        ("(mod 7/2 1)", "1/2"),
        ("(mod -5.5 2)", "0.5"),
        ("(rem -10 3)", "-1"),
        ("(quot -10 3)", "-3"),
        ("(quot 7.5 2)", "3.0"),
        ("(inc 41)", "42"),
        ("(dec 1/2)", "-1/2"),
        ("(min 3 1 2.5)", "1"),
        ("(max 3 1 7/2)", "7/2"),
        ("(abs -5)", "5"),
        ("(abs -9223372036854775808)", "9223372036854775808"),
        ("[(floor 7/2) (ceil 7/2) (round 7/2) (truncate -7/2)]", "[3 4 4 -3]"),
        ("[(floor -2.5) (ceil 2.1) (round 2.5) (round -2.5)]", "[-3 3 3 -3]"),
        ("(sqrt 16)", "4.0"),
        ("(float 1/4)", "0.25"),
        ("(exact 0.5)", "1/2"),
        ("(exact 3.0)", "3"),
        ("(inf? (/ 99.0 0))", "#t"),
        ("(nan? (/ 0.0 0))", "#t"),
        ("(/ 1 0)", "!1:1 divide by zero"),
        ("(mod 1 0)", "!1:1 divide by zero"),
        ("(quot 1 0)", "!1:1 divide by zero"),
        ("(+ 99 \"hello\")", "!1:1 \"hello\" is not a number"),
        ("(- '())", "!1:1 () is not a number"),
        (
            "(expt 2 300000)",
            "!1:1 the number is too long: integers have at most 262,144 bits, ratios 16,384",
        ),
        (
            "(/ (expt 3 20000) (expt 2 20000))",
            "!1:1 the number is too long: integers have at most 262,144 bits, ratios 16,384",
        ),
        ("(= (/ (expt 6 20000) (expt 3 20000)) (expt 2 20000))", "#t"),
    ]);
}

#[test]
fn comparison() {
    check(&[
        ("(= 1 1 1)", "#t"),
        ("(= 1 1 2)", "#f"),
        ("(= 1 1.0)", "#t"),
        ("(= 1/2 0.5)", "#t"),
        ("(= 9007199254740993 9007199254740992.0)", "#f"),
        ("(= \"a\" \"a\")", "#t"),
        ("(= :a :b)", "#f"),
        ("(!= 1 2)", "#t"),
        ("(!= 1 1)", "#f"),
        ("(< 1 2 3)", "#t"),
        ("(< 1 3 2)", "#f"),
        ("(<= 1 1 2)", "#t"),
        ("(> 3 2 1)", "#t"),
        ("(>= 3 3 4)", "#f"),
        ("(< 1/3 0.34)", "#t"),
        ("(< 5 +inf)", "#t"),
        ("(< nan 1)", "#f"),
        ("(< \"abc\" \"abd\")", "#t"),
        ("(< 1 \"2\")", "!1:1 \"2\" is not a number"),
        ("(eq 1 1.0)", "#f"),
        ("(eq [1 {:a \"x\"}] [1 {:a \"x\"}])", "#t"),
        ("(eq '(1 2) [1 2])", "#f"),
        ("(eq '(1 2) (map identity [1 2]))", "#t"),
        ("(eq {:a 1 :b 2} {:b 2 :a 1})", "#t"),
        ("(eq \"a\" :a)", "#f"),
        ("(eq true true false)", "#f"),
        ("(!eq 1 2)", "#t"),
        ("(eq first first)", "#t"),
        ("(eq (lambda (x) x) (lambda (x) x))", "#f"),
    ]);
}

#[test]
fn only_false_is_false() {
    check(&[
        ("(if true 1 2)", "1"),
        ("(if #f 1 2)", "2"),
        ("(if #f 1)", "()"),
        ("(if '() 1 2)", "1"),
        ("(if 0 1 2)", "1"),
        ("(if \"\" 1 2)", "1"),
        ("(when (> 2 1) 1 2 3)", "3"),
        ("(when false 1)", "()"),
        ("(when-not false 1 2)", "2"),
        ("(unless false 1)", "1"),
        ("(unless true 1 2)", "2"),
        ("(cond)", "()"),
        ("(cond [false 1] [(> 2 1) 2] [:else 3])", "2"),
        ("(cond [false 1] [:else 3])", "3"),
        ("(cond [false 1])", "()"),
        ("(cond (false 1) (else 4))", "4"),
        ("(cond [true 1 2 3])", "3"),
        ("(and)", "#t"),
        ("(and 1 2 3)", "3"),
        ("(and 1 false (raise \"no\"))", "#f"),
        ("(or)", "#f"),
        ("(or false 2 (raise \"no\"))", "2"),
        ("(or false false)", "#f"),
        ("(!and true false)", "#t"),
        ("(!or true false)", "#f"),
        ("(not false)", "#t"),
        ("(not '())", "#f"),
        ("(case 2 [1 :one] [(2 3) :few] [:else :many])", ":few"),
        ("(case \"x\" [\"x\" 1])", "1"),
        ("(case 9 [1 :one] [:else :many])", ":many"),
        ("(case 9 [1 :one])", "!1:1 no case matches"),
        ("(if-let [x (seq [1])] (first x) :none)", "1"),
        ("(if-let [x (seq [])] (first x) :none)", ":none"),
        ("(when-let [x 5] (inc x))", "6"),
        ("(cond 99)", "!1:7 a clause of `cond` is [test form]"),
        ("(cond [1])", "!1:7 a clause of `cond` is [test form]"),
        ("(if)", "!1:1 `if` takes a test, what then, and perhaps what else"),
    ]);
}

#[test]
fn bindings_and_procedures() {
    check(&[
        ("(let [x 1] x)", "1"),
        ("(let ([x 1] [y 2]) (+ x y))", "3"),
        ("(let [x 1 y 2] [x y])", "[1 2]"),
        ("(let ((x 1) (y 2)) [x y])", "[1 2]"),
        ("(let [x 1] (let ([x 2] [y x]) [x y]))", "[2 1]"),
        ("(let* ([x 1] [y (inc x)] [z (+ x y)]) z)", "3"),
        ("(let* ([x 1] [x (inc x)]) x)", "2"),
        ("(let-rec [f (lambda (n) (if (= n 0) :done (f (dec n))))] (f 10))", ":done"),
        (
            "(letrec ([e? (lambda (n) (or (= n 0) (o? (dec n))))] [o? (lambda (n) (and (!= n 0) (e? (dec n))))]) (e? 101))",
            "#f",
        ),
        (
            "(letfn [(lambda-rec f (n) (if (= n 0) 0 (g (dec n)))) (lambda-rec g (n) (f n))] (f 5))",
            "0",
        ),
        ("((lambda (x y) (* x y)) 6 7)", "42"),
        ("((λ (x) x) 1)", "1"),
        ("((lambda () 5))", "5"),
        ("((lambda xs xs) 1 2 3)", "[1 2 3]"),
        ("((lambda xs xs))", "[]"),
        ("((lambda (x . more) [x more]) 1 2 3)", "[1 [2 3]]"),
        ("((lambda [(x) :one] [(x y) :two] [xs :many]) 1 2)", ":two"),
        ("((lambda [(x) :one] [(x y) :two] [xs :many]) 1 2 3)", ":many"),
        ("((lambda-rec f (n) (if (< n 2) 1 (* n (f (dec n))))) 5)", "120"),
        ("((label f (lambda (n) (if (= n 0) 0 (f (dec n))))) 3)", "0"),
        ("((thunk 1 2))", "2"),
        ("(define x 5) (define (double n) (* n 2)) (double x)", "10"),
        ("(define (add x . more) (apply + x more)) (add 1 2 3)", "6"),
        ("(define-lambda area [(r) (* r r)] [(w h) (* w h)]) [(area 3) (area 2 5)]", "[9 10]"),
        (
            "(define (even-? n) (if (= n 0) true (odd-? (dec n)))) (define (odd-? n) (if (= n 0) false (even-? (dec n)))) (even-? 10)",
            "#t",
        ),
        ("(define (f x) (define y (* x 2)) (define (g z) (+ y z)) (g 1)) (f 10)", "21"),
        ("(define (counter n) (lambda () n)) [((counter 1)) ((counter 2))]", "[1 2]"),
        (
            "(let [make (lambda (n) (lambda (x) (+ x n)))] (let ([a (make 1)] [b (make 10)]) [(a 1) (b 1)]))",
            "[2 11]",
        ),
        ("(begin 1 2 3)", "3"),
        ("(begin)", "()"),
        ("(define x 5)", "5"),
        ("(let [first 9] first)", "9"),
        ("(let [if 9] (+ if 1))", "10"),
        ("(define (map f) f) (map 1)", "1"),
        ("(define x x) x", "!1:11 the name is used before it has a value"),
        ("(let-rec [x (+ x 1)] x)", "!1:16 the name is used before it has a value"),
        ("(define x 1) (define x 2)", "!1:14 the name is defined already"),
        ("(let ([x 1] [x 2]) x)", "!1:16 the name is bound twice in one `let`"),
        ("(let [x] x)", "!1:6 a binding is a name and a form: [name form]"),
        ("(let 99 1)", "!1:6 bindings are [name form] or ([name form] [name form])"),
        ("(let [1 2] 3)", "!1:7 a binding is a name and a form: [name form]"),
        ("(lambda (x x) 1)", "!1:12 two parameters have this name"),
        ("(lambda (x))", "!1:9 the procedure has no body"),
        ("(lambda)", "!1:1 `lambda` takes parameters and a body"),
        (
            "(+ 1 (define x 2))",
            "!1:6 `define` stands only at the outside of the script or of a body",
        ),
        ("((lambda (x) x))", "!1:1 a lambda got 0 arguments, expected 1"),
        ("(define (f a b) a)\n(f 1)", "!2:1 f got 1 argument, expected 2"),
        (
            "(define-lambda f [(a) a] [(a b c) a]) (f 1 2)",
            "!1:39 f got 2 arguments, expected 1 or 3",
        ),
        ("nothing", "!1:1 unknown name `nothing`"),
        ("(+ 1\n   (frobnicate 2))", "!2:5 unknown name `frobnicate`"),
        ("(map and [1])", "!1:6 `and` is a special form, not a value: wrap it in a lambda"),
        ("(5.5 1)", "!1:1 5.5 is not a procedure"),
        ("(inc 1 2)", "!1:2 `inc` got 2 arguments, expected 1"),
        ("(take 1)", "!1:2 `take` got 1 argument, expected 2"),
    ]);
}

#[test]
fn chains() {
    check(&[
        ("(-> 0 (+ 10) (* 2) (/ 5))", "4"),
        ("(->> 0 (+ 10) (* 2) (/ 5.0))", "0.25"),
        ("(-> 5)", "5"),
        ("(-> {:a {:b 7}} :a :b)", "7"),
        ("(->> [1 2 3 4] (filter even?) (map inc) (reduce +))", "8"),
        ("(some-> {:a {:b 1}} :a :b inc)", "2"),
        ("(some-> {:a 1} :x :b inc)", "()"),
        ("(some->> 5 (- 10))", "5"),
        ("(cond-> 10 [true (+ 5)] [(> 12) (* 2)] [(< 25) (/ 3)] [true (- 1)])", "29"),
        ("(cond->> [1 2 3] [seq? (map inc)] [false (map dec)])", "(2 3 4)"),
        ("(let-> [x 10] (+ x 5) (* x 2))", "30"),
        ("(->)", "!1:1 a chain begins with a form"),
    ]);
}

#[test]
fn sequences() {
    check(&[
        ("(list 1 2 3)", "(1 2 3)"),
        ("(list)", "()"),
        ("(vector 1 \"a\")", "[1 \"a\"]"),
        ("(cons 1 '(2 3))", "(1 2 3)"),
        ("(cons 1 [2 3])", "[1 2 3]"),
        ("(cons 1 '())", "(1)"),
        ("(cons 1 2)", "(1 . 2)"),
        ("(cons 7 (cons 8 (cons (cons 10 11) 9)))", "(7 8 (10 . 11) . 9)"),
        ("(cons 1 (range 3))", "(1 0 1 2)"),
        ("[(first [1 2]) (first '()) (first \"héllo\") (car '(9 8))]", "[1 () \"h\" 9]"),
        (
            "[(rest [1 2]) (rest []) (rest '(1)) (rest \"héllo\") (cdr '(9 8))]",
            "[[2] [] () \"éllo\" (8)]",
        ),
        ("[(car (cons 1 2)) (cdr (cons 1 2))]", "[1 2]"),
        ("[(second [1 2]) (last [1 2 3]) (last []) (last (range 4))]", "[2 3 () 3]"),
        (
            "[(length [1 2]) (length '()) (length \"héllo\") (length {:a 1}) (length #{1}) (length (range 10))]",
            "[2 0 5 1 1 10]",
        ),
        ("(length 5)", "!1:1 5 is not a sequence"),
        ("[(nth [1 2] 1) (nth '(1 2) 0) (nth \"abc\" 2) (nth (range) 7)]", "[2 1 \"c\" 7]"),
        ("(nth [1 2] 9 :none)", ":none"),
        ("(nth [1 2] 9)", "!1:1 the index is out of bounds"),
        ("(nth [1 2] -1)", "!1:1 -1 is not a position: 0, 1, 2, ..."),
        (
            "[(reverse [1 2 3]) (reverse '(1 2)) (reverse \"añb\") (reverse (range 3))]",
            "[[3 2 1] (2 1) \"bña\" (2 1 0)]",
        ),
        (
            "[(conj [1] 2 3) (conj '(1) 2 3) (conj {:a 1} (:b . 2)) (conj {:a 1} [:b 3]) (conj #{1} 2)]",
            "[[1 2 3] (3 2 1) {:a 1 :b 2} {:a 1 :b 3} #{1 2}]",
        ),
        ("(append [1] 2)", "[1 2]"),
        ("(append \"ab\" \"c\")", "\"abc\""),
        (
            "(let* ([a [1]] [b (conj a 2)] [c (conj a 3)] [d (conj b 4)]) [a b c d])",
            "[[1] [1 2] [1 3] [1 2 4]]",
        ),
        ("(concat [1] '(2) (range 3 5) \"x\" {:a 1})", "(1 2 3 4 \"x\" (:a . 1))"),
        ("(concat)", "()"),
        ("(seq->vector (range 3) [9])", "[0 1 2 9]"),
        ("(seq->list [1 2])", "(1 2)"),
        ("(seq->set [1 2 2])", "#{1 2}"),
        ("(seq->object [:a 1 :b 2])", "{:a 1 :b 2}"),
        ("(seq->object [[:a 1] [:b 2]])", "{:a 1 :b 2}"),
        ("(seq->object {:a 1})", "{:a 1}"),
        ("[(seq []) (seq [1]) (seq 5)]", "[#f [1] #f]"),
        ("(seq! 5)", "!1:1 5 is not a sequence"),
        ("[(empty? []) (empty? '() \"\") (!empty? [1])]", "[#t #t #t]"),
        ("[(index-of [4 8 15] 15) (index-of [4] 5)]", "[2 #f]"),
        ("(distinct [1 2 1 3 2])", "(1 2 3)"),
        ("(flatten [1 [2 (list 3 [4])] \"ab\"])", "(1 2 3 4 \"ab\")"),
        ("(partition 2 [1 2 3 4 5])", "((1 2) (3 4) (5))"),
        ("(partition 2 3 [1 2 3 4 5 6 7])", "((1 2) (4 5) (7))"),
        ("(interleave [1 2] [:a :b])", "(1 :a 2 :b)"),
        ("(zip [1 2 3] [:a :b])", "((1 :a) (2 :b))"),
        ("(cartesian-product [1 2] [:a :b])", "((1 :a) (1 :b) (2 :a) (2 :b))"),
        ("([1 2 3 4] 2)", "[3 4]"),
        ("([1 2 3 4] 1 3)", "[2 3]"),
        ("(\"hello\" 1 3)", "\"el\""),
        ("('(1 2 3) 1)", "(2 3)"),
        ("([1 2] 5)", "!1:1 5 to 2 is not within a sequence of 2 items"),
        ("(0 [5 6])", "5"),
        ("(7 [5 6] :none)", ":none"),
        ("(sort [3 1 2])", "[1 2 3]"),
        ("(sort [\"b\" \"a\"])", "[\"a\" \"b\"]"),
        ("(sort [2 1.5 7/4])", "[1.5 7/4 2]"),
        ("(sort > [1 3 2])", "[3 2 1]"),
        ("(sort (lambda (a b) (< (:n a) (:n b))) [{:n 2} {:n 1}])", "[{:n 1} {:n 2}]"),
        ("(sort-by length [\"ccc\" \"a\" \"bb\" \"d\"])", "[\"a\" \"d\" \"bb\" \"ccc\"]"),
        (
            "(sort [first rest])",
            "!1:1 procedures have no order: they cannot be sorted, nor be keys",
        ),
    ]);
}

#[test]
fn lazy_sequences_may_be_endless() {
    check(&[
        ("(take 5 (range))", "(0 1 2 3 4)"),
        ("(range 5)", "(0 1 2 3 4)"),
        ("(range 2 5)", "(2 3 4)"),
        ("(range 5 2)", "(5 4 3)"),
        ("(range 0 1 1/4)", "(0 1/4 1/2 3/4)"),
        ("(range 10 0 -3)", "(10 7 4 1)"),
        ("(range -3)", "(0 -1 -2)"),
        ("(range 0)", "()"),
        ("(take 3 (range 5 null 10))", "(5 15 25)"),
        ("(range 1 2 0)", "!1:1 the step of a range is zero"),
        ("(map inc [1 2 3])", "(2 3 4)"),
        ("(map + [1 2 3 4] '(4 6 8) '(30 20 10 56))", "(35 28 21)"),
        ("(map (lambda (p) [(car p) (cdr p)]) {:a 1})", "([:a 1])"),
        ("(map :n [{:n 1} {:n 2}])", "(1 2)"),
        ("(map {:a 1 :b 2} [:b :a :c])", "(2 1 ())"),
        ("(map upper-case \"ab\")", "(\"A\" \"B\")"),
        ("(map! inc [1 2])", "(2 3)"),
        ("(filter (lambda (x) (< x 3)) [1 2 3 4])", "(1 2)"),
        ("(filter even? '())", "()"),
        ("(remove even? [1 2 3])", "(1 3)"),
        ("(take 2 (drop 3 (range)))", "(3 4)"),
        ("(take 9 [1 2])", "(1 2)"),
        ("(take 0 [1])", "()"),
        ("(drop 9 [1 2])", "()"),
        ("(take-while (lambda (x) (< x 3)) (range))", "(0 1 2)"),
        ("(drop-while (lambda (x) (< x 3)) (range 5))", "(3 4)"),
        ("(take 3 (iterate (lambda (x) (* x 2)) 1))", "(1 2 4)"),
        ("(take 3 (repeat :x))", "(:x :x :x)"),
        ("(repeat 2 :x)", "(:x :x)"),
        ("(take 5 (cycle [1 2]))", "(1 2 1 2 1)"),
        ("(cycle [])", "()"),
        ("(mapcat (lambda (x) [x x]) [1 2])", "(1 1 2 2)"),
        ("(take 3 (mapcat (lambda (x) [x]) (range)))", "(0 1 2)"),
        ("(take 3 (concat [1] (range)))", "(1 0 1)"),
        ("(for ([x [1 2]] [y [10 20]]) (+ x y))", "(11 21 12 22)"),
        ("(for [x (range 3)] (* x x))", "(0 1 4)"),
        (
            "(define (fib a b) (lazy-seq (cons a (fib b (+ a b))))) (take 10 (fib 0 1))",
            "(0 1 1 2 3 5 8 13 21 34)",
        ),
        (
            "(nth (let-rec [fibs (lazy-seq (cons 0 (lazy-seq (cons 1 (map + fibs (rest fibs))))))] fibs) 90)",
            "2880067194370816120",
        ),
        ("(define ones (lazy-seq (cons 1 ones))) (take 3 ones)", "(1 1 1)"),
        ("(length (take 3 (lazy-seq (cons 1 (lazy-seq [2 3])))))", "3"),
        ("(lazy-seq '())", "()"),
        (
            "(let-rec [s (lazy-seq s)] (first s))",
            "!1:27 a lazy sequence needs its own beginning to know how it begins",
        ),
        (
            "(let-rec [s (lazy-seq (cons (first s) s))] (first s))",
            "!1:29 a lazy sequence needs its own beginning to know how it begins",
        ),
        ("(first (lazy-seq 5))", "!1:1 5 is not a sequence"),
        ("(define s (map (lambda (x) (/ 6 x)) [1 0 2])) (first s)", "6"),
        ("(define s (map (lambda (x)\n  (/ 6 x)) [1 0 2])) (length s)", "!2:3 divide by zero"),
        ("(str (map inc [1 2]) [(range 2)])", "\"(2 3)[(0 1)]\""),
    ]);
}

#[test]
fn folding_and_calling() {
    check(&[
        ("(reduce + [1 2 3 4])", "10"),
        ("(reduce + 10 [1 2])", "13"),
        ("(reduce + [])", "0"),
        ("(fold-left - 10 [1 2])", "7"),
        ("(foldl - [10 1 2])", "7"),
        ("(fold-right cons '() [1 2 3])", "(1 2 3)"),
        ("(foldr - 0 [1 2 3])", "2"),
        ("(reduce (lambda (o p) (assoc o (car p) (* 2 (cdr p)))) {} {:a 1 :b 2})", "{:a 2 :b 4}"),
        ("(apply + [1 2 3])", "6"),
        ("(apply + 1 2 [3 4])", "10"),
        ("(apply max (range 5))", "4"),
        ("(apply apply [+ [1 2]])", "3"),
        ("(apply + 5)", "!1:1 5 is not a sequence"),
        ("((partial + 1 2) 3)", "6"),
        ("((partial partial +) 1)", "#<procedure>"),
        ("((comp (partial * 2) (partial + 5)) 10)", "25"),
        ("((comp) 7)", "7"),
        ("((juxt + - * /) 32 10)", "[42 22 320 16/5]"),
        ("((complement even?) 3)", "#t"),
        ("((constantly 5) 1 2)", "5"),
        ("(identity :x)", ":x"),
        (
            "[(some even? [1 2]) (some even? []) (every? even? [2 4]) (every? even? [])]",
            "[#t #f #t #t]",
        ),
        ("[(find even? [1 2 4]) (find even? [1]) (find even? [1] :none)]", "[2 () :none]"),
        ("(group-by even? [1 2 3])", "{#f [1 3] #t [2]}"),
        ("(frequencies [:a :b :a])", "{:a 2 :b 1}"),
    ]);
}

#[test]
fn objects_and_sets() {
    check(&[
        ("(:a {:a 1})", "1"),
        ("(:x {:a 1})", "()"),
        ("(:x {:a 1} :none)", ":none"),
        ("({:a 1} :a)", "1"),
        ("({:a 1} \"a\")", "1"),
        ("({:a 1} :x 0)", "0"),
        ("(:a '())", "()"),
        ("(:a 5)", "!1:1 5 is not an object"),
        ("(get {:a 1} :a)", "1"),
        ("(get {:a 1} \"a\")", "1"),
        ("(get {:a 1} :x :none)", ":none"),
        ("(get {:a 1} :x)", "!1:1 key :x not found"),
        ("(get [5 6] 1)", "6"),
        ("(object :a 1 :b 2)", "{:a 1 :b 2}"),
        ("(object :a)", "!1:1 an object has an even number of items: keys and their values"),
        ("(assoc {:a 1} (:b . 2))", "{:a 1 :b 2}"),
        ("(assoc {:a 1} :b 2 :a 3)", "{:a 3 :b 2}"),
        ("(assoc {} (:items . [1 2]))", "{:items [1 2]}"),
        ("(assoc [1 2] 0 9)", "[9 2]"),
        ("(assoc '() :a 1)", "{:a 1}"),
        ("(assoc {} :not-a-pair)", "!1:1 :not-a-pair is not an entry: (key . value)"),
        ("(assoc* {} (:a . 1) (:b . 2))", "{:a 1 :b 2}"),
        ("(dissoc {:a 1 :b 2} :a)", "{:b 2}"),
        ("(dissoc {:a 1 :b 2 :c 3} :a :c :x)", "{:b 2}"),
        ("(let* ([a {:x 1}] [b (assoc a :x 2)]) [a b])", "[{:x 1} {:x 2}]"),
        ("(keys {:b 1 :a 2})", "[:a :b]"),
        ("(vals {:b 1 :a 2})", "[2 1]"),
        ("(merge {:a 1 :b 2} {:b 3} '())", "{:a 1 :b 3}"),
        ("(update {:a 1} :a + 10)", "{:a 11}"),
        ("(get-in {:a {:b [5 6]}} [:a :b 1])", "6"),
        ("(get-in {:a 1} [:a :b] :none)", ":none"),
        ("(assoc-in {} [:a :b] 1)", "{:a {:b 1}}"),
        ("(select-keys {:a 1 :b 2} [:a :x])", "{:a 1}"),
        ("(map-vals inc {:a 1 :b 2})", "{:a 2 :b 3}"),
        (
            "[(contains? {:a 1} :a) (contains? {:a 1} \"a\") (contains? #{1} 2) (contains? [1] 0)]",
            "[#t #t #f #f]",
        ),
        ("(first {:a 1 :b 2})", "(:a . 1)"),
        ("(rest {:a 1 :b 2})", "{:b 2}"),
        ("(: {:inc (lambda (x) (+ x 1))} :inc 41)", "42"),
        (
            "{[1 2] :vector {:k 1} :object 1 :int 1.0 :float}",
            "{1 :int 1.0 :float [1 2] :vector {:k 1} :object}",
        ),
        ("({1 :int} 1.0)", "()"),
        ("(#{1 2} 2)", "2"),
        ("(#{1 2} 3)", "()"),
        ("(set 1 2 1)", "#{1 2}"),
        ("(dissoc #{1 2} 1)", "#{2}"),
        ("(length (reduce (lambda (o i) (assoc o i i)) {} (range 1000)))", "1000"),
        (
            "(length (reduce (lambda (o i) (dissoc o i)) (reduce (lambda (o i) (assoc o i i)) {} (range 1000)) (range 0 1000 2)))",
            "500",
        ),
        ("{first 1}", "!1:1 procedures have no order: they cannot be sorted, nor be keys"),
    ]);
}

#[test]
fn texts() {
    check(&[
        ("(str)", "\"\""),
        ("(str \"a\" 1 :b '() [1 \"c\"] 2.5 1/2 true)", "\"a1:b[1 \\\"c\\\"]2.51/2#t\""),
        ("(str! \"a\" :b)", "\"\\\"a\\\" :b\""),
        ("(upper-case \"straße\")", "\"STRASSE\""),
        ("(lower-case \"ÄB\")", "\"äb\""),
        ("(trim \"  a b \")", "\"a b\""),
        ("(split \"a,b,,c\" \",\")", "[\"a\" \"b\" \"\" \"c\"]"),
        ("(split \"añ\" \"\")", "[\"a\" \"ñ\"]"),
        ("(join \", \" [1 \"a\" :b])", "\"1, a, :b\""),
        ("(join [\"a\" \"b\"])", "\"ab\""),
        ("(replace \"a-b-c\" \"-\" \"+\")", "\"a+b+c\""),
        (
            "[(starts-with? \"abc\" \"ab\") (ends-with? \"abc\" \"ab\") (includes? \"abc\" \"b\")]",
            "[#t #f #t]",
        ),
        ("(subs \"héllo\" 1 3)", "\"él\""),
        ("(subs \"hello\" 3)", "\"lo\""),
        ("(subs \"abc\" 2 9)", "!1:1 2 to 9 is not within a sequence of 3 items"),
        (
            "[(parse-number \"12\") (parse-number \" 1.5 \") (parse-number \"1/3\") (parse-number \"x\" 0)]",
            "[12 1.5 1/3 0]",
        ),
        ("(parse-number \"x\")", "!1:1 \"x\" is not the text of a number"),
        ("[(keyword \"a\") (name :a) (sym \"b\") (name 'b)]", "[:a \"a\" b \"b\"]"),
        ("(eq (sym \"hello\") 'hello)", "#t"),
        ("(upper-case 5)", "!1:1 5 is not a text"),
        ("(apply str (reverse (split \"abc\" \"\")))", "\"cba\""),
    ]);
}

#[test]
fn predicates_have_opposites_and_take_many() {
    check(&[
        ("(number? 1 2.5 1/3)", "#t"),
        ("(number? 1 \"2\")", "#f"),
        ("(!number? \"1\" :a)", "#t"),
        ("[(integer? 1) (integer? 1.0) (ratio? 1/2) (float? 1.0)]", "[#t #f #t #t]"),
        ("[(string? \"\") (keyword? :a) (symbol? 'a) (boolean? false)]", "[#t #t #t #t]"),
        (
            "[(list? '(1)) (list? '()) (list? [1]) (vector? [1]) (object? {}) (set? #{})]",
            "[#t #t #f #t #t #t]",
        ),
        ("[(null? '()) (null? false) (null? []) (null? 0)]", "[#t #f #f #f]"),
        ("[(seq? [1]) (seq? \"a\") (seq? '()) (seq? {:a 1}) (seq? 5)]", "[#t #t #t #t #f]"),
        ("[(procedure? first) (procedure? (lambda (x) x)) (procedure? 5)]", "[#t #t #f]"),
        ("[(pair? (cons 1 2)) (pair? 99) (cons? (cons 1 2)) (cons? '(1))]", "[#t #f #t #f]"),
        ("[(even? 4) (odd? 3) (even? 3) (odd? 2.5)]", "[#t #t #f #f]"),
        ("[(zero? 0) (zero? 0.0) (pos? 1/2) (neg? -1) (zero? \"x\")]", "[#t #t #t #t #f]"),
        ("[(true? true) (true? 1) (false? false) (any? 1)]", "[#t #f #t #t]"),
        (
            "[(counted? [1]) (counted? (range)) (indexed? \"a\") (lazy? (range)) (appendable? [])]",
            "[#t #f #t #t #t]",
        ),
        ("[(atom? 1 :a \"x\" '()) (!atom? [1] '(1))]", "[#t #t]"),
        ("[(mapped? {} #{}) (mapper? #{})]", "[#t #f]"),
        ("(even? \"x\")", "!1:1 \"x\" is not a number"),
        ("(null?)", "!1:2 `null?` got 0 arguments, expected 1 or more"),
    ]);
}

#[test]
fn raising_and_catching() {
    check(&[
        ("(raise \"boom\")", "!1:1 boom"),
        ("(raise \"got \" 5 \" things\")", "!1:1 got 5 things"),
        ("(raise {:code 7})", "!1:1 {:code 7}"),
        ("(try (raise \"boom\") (catch [e string?] (str \"caught \" e)))", "\"caught boom\""),
        ("(try 5 (catch e e))", "5"),
        ("(try (/ 1 0) (catch e e))", "\"divide by zero\""),
        ("(try (raise {:code 7}) (catch [e string?] 1) (catch [e object?] (:code e)))", "7"),
        ("(try (raise 5) (catch [e string?] 1))", "!1:1 5"),
        ("(try (try (raise 1) (catch e (raise (inc e)))) (catch e (* e 10)))", "20"),
        ("(+ 1 (try (+ 2 (raise 3)) (catch e e)))", "4"),
        ("(recover (thunk (raise \"x\")) (lambda (e) (str e e)))", "\"xx\""),
        (
            "(define s (map (lambda (x) (if (= x 2) (raise :two) x)) [1 2 3])) [(try (length s) (catch e e)) (try (length s) (catch e e))]",
            "[:two :two]",
        ),
        (
            "(define (f n) (if (= n 0) (raise \"deep\") (+ 1 (f (dec n))))) (try (f 1000) (catch e e))",
            "\"deep\"",
        ),
        ("(try 1 (catch e 2) 3)", "!1:20 only `catch` clauses follow a `catch` clause"),
    ]);
}

#[test]
fn the_reader_says_where_it_fails() {
    check(&[
        ("(+ 1 2", "!1:1 the list is not closed"),
        ("(a [b {c", "!1:7 the object is not closed"),
        ("(+ 1\n  [2 3)", "!2:7 `)` does not close the vector that begins at 2:3"),
        ("(+ 1 2))", "!1:8 `)` closes nothing"),
        ("\"abc", "!1:1 the text has no closing quote"),
        ("(str \"a\\", "!1:6 the text has no closing quote"),
        ("{:a 1 :b}", "!1:1 an object has an even number of items: keys and their values"),
        ("#| no end", "!1:1 the comment has no end"),
        ("1 |# 2", "!1:3 `|#` ends no comment"),
        ("(. 1)", "!1:2 a dot stands only before the last item of a list"),
        ("(1 . 2 3)", "!1:9 exactly one item follows the dot of a list"),
        ("(1 . 2 . 3)", "!1:8 a dot stands only before the last item of a list"),
        ("[1 . 2]", "!1:4 a dot stands only before the last item of a list"),
        ("'", "!1:1 nothing follows the quote"),
        ("(')", "!1:2 nothing follows the quote"),
        ("12ab", "!1:1 `12ab` is not a number"),
        ("007", "!1:1 `007` is not a number"),
        ("1.", "!1:1 `1.` is not a number"),
        (".5", "!1:1 `.5` is not a number"),
        ("1/0", "!1:1 `1/0` is not a number"),
        ("#x", "!1:1 `#x` is not a literal"),
        ("`(a ,b)", "!1:1 macros are not part of this Ale: no backquote, no unquote"),
        ("é (x", "!1:3 the list is not closed"),
    ]);
}

#[test]
fn arguments_are_variables_by_name() {
    let args = json!({
        "amount": 120, "discount-rate": 0.25, "tier": "gold", "items": [{"price": 3}, {"price": 4.0}],
        "none": null, "list": 5, "big": 1e20, "flag": false,
    });
    check_with(
        args.as_object().unwrap(),
        &[
            ("(> amount 100)", "#t"),
            ("(and (> amount 100) (eq tier \"gold\"))", "#t"),
            ("(* amount (- 1 discount-rate))", "90.0"),
            ("(reduce + (map :price items))", "7"),
            ("none", "()"),
            ("(inc list)", "6"),
            ("(integer? big)", "#t"),
            ("big", "100000000000000000000"),
            ("(not flag)", "#t"),
            ("(define (f) amount) (f)", "120"),
        ],
    );
}

/// What a step of the seed's catalog gives.
fn outputs(source: &str, args: &Value) -> Result<Value, ScriptError> {
    let args = args.as_object().unwrap();
    let names: Vec<&String> = args.keys().collect();
    let result = AleScript::compile(source, &names)?.call(args, &CallOptions::default())?;
    Ok(Value::Object(outputs_of(result)))
}

#[test]
fn an_object_is_the_outputs_and_all_else_is_the_result() {
    let cases = [
        ("{:result (+ a b)}", json!({"a": 5, "b": 10}), json!({"result": 15})),
        ("(+ a b)", json!({"a": 5, "b": 10}), json!({"result": 15})),
        ("{:greeting name}", json!({"name": "Ada"}), json!({"greeting": "Ada"})),
        ("{:list (list 1 2)}", json!({}), json!({"list": [1, 2]})),
        ("[a b]", json!({"a": 1, "b": null}), json!({"result": [1, null]})),
        ("(map inc a)", json!({"a": [1, 2]}), json!({"result": [2, 3]})),
        ("(map inc a)", json!({"a": []}), json!({"result": []})),
        ("(/ 1 4)", json!({}), json!({"result": 0.25})),
        ("(/ 4 2)", json!({}), json!({"result": 2})),
        ("2.0", json!({}), json!({"result": 2.0})),
        (":word", json!({}), json!({"result": "word"})),
        ("'(a b)", json!({}), json!({"result": ["a", "b"]})),
        ("#{2 1}", json!({}), json!({"result": [1, 2]})),
        ("{:a {:b [{:c 1}]}}", json!({}), json!({"a": {"b": [{"c": 1}]}})),
        ("{1 :a true :b 1/2 :c}", json!({}), json!({"1": "a", "true": "b", "1/2": "c"})),
        ("(first {:a 1})", json!({}), json!({"result": ["a", 1]})),
        ("18446744073709551615", json!({}), json!({"result": 18_446_744_073_709_551_615_u64})),
        ("x", json!({"x": 1e20}), json!({"result": 1e20})),
        ("x", json!({"x": 3.0}), json!({"result": 3})),
        (
            "(let* ([subtotal (* quantity unit_price)] [tax (* subtotal 0.08)] [shipping (if (> quantity 5) 0.0 9.99)])
               {:subtotal subtotal :shipping shipping :total (+ subtotal shipping)})",
            json!({"quantity": 6, "unit_price": 10}),
            json!({"subtotal": 60, "shipping": 0.0, "total": 60.0}),
        ),
        (
            "{:formatted_text (str \"[\" name \"] \" text)}",
            json!({"name": "x", "text": "hello"}),
            json!({"formatted_text": "[x] hello"}),
        ),
    ];
    for (source, args, expected) in cases {
        assert_eq!(outputs(source, &args), Ok(expected), "{source}");
    }
}

#[test]
fn what_is_no_json_is_refused_with_its_path() {
    let cases = [
        ("{:a [1 first]}", "the result has a procedure at $.a[1]"),
        ("{:a {:b +inf}}", "the result has an infinite number, or one that is none at $.a.b"),
        (
            "{\"not a name\" nan}",
            "the result has an infinite number, or one that is none at $[\"not a name\"]",
        ),
        (
            "[(+ 1 (expt 2 70))]",
            "the result has an integer that no JSON number holds exactly (`str` or `float` it) at $[0]",
        ),
        ("{[1] 2}", "the result has a key that is neither a name, a number nor a boolean at $"),
        ("{1 2 :1 3}", "the result has two keys with one text at $"),
    ];
    for (source, message) in cases {
        let error = outputs(source, &json!({})).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::NotJson, message), "{source}");
    }
}

#[test]
fn an_empty_list_is_null_unless_an_array_is_declared() {
    let script = AleScript::compile::<&str>("{:items '() :other '()}", &[]).unwrap();
    let expected = Expected::outputs(["items"]);
    let options = CallOptions { expected, ..CallOptions::default() };
    assert_eq!(script.call(&Map::new(), &options), Ok(json!({"items": [], "other": null})));

    let script = AleScript::compile::<&str>("(rest '(1))", &[]).unwrap();
    assert_eq!(script.call(&Map::new(), &CallOptions::default()), Ok(Value::Null));
    let options = CallOptions { expected: Expected::array(), ..CallOptions::default() };
    assert_eq!(script.call(&Map::new(), &options), Ok(json!([])));
}

#[test]
fn a_test_is_true_unless_it_gives_false() {
    for (source, expected) in
        [("(> n 1)", true), ("(> n 9)", false), ("'()", true), ("0", true), ("#f", false)]
    {
        let script = AleScript::compile(source, &["n"]).unwrap();
        let args = json!({"n": 5});
        assert_eq!(
            script.test(args.as_object().unwrap(), &CallOptions::default()),
            Ok(expected),
            "{source}"
        );
    }
}

#[test]
fn an_error_names_the_calls_that_led_to_it() {
    let source =
        "(define (inner x)\n  (/ x 0))\n(define (outer x)\n  (+ 1 (inner x)))\n(+ 1 (outer 5))";
    let error = eval(source, &Map::new()).unwrap_err();
    assert_eq!(error.to_string(), "script.ale:2:3: divide by zero");
    let stack = "inner (script.ale:2:3)\nouter (script.ale:4:8)\nlambda (script.ale:5:6)";
    assert_eq!(error.stack.as_deref(), Some(stack));
    assert!(error.frame.unwrap().contains("2 |   (/ x 0))"));
}

#[test]
fn a_raised_object_goes_with_its_error() {
    let error = eval("(raise {:code 7 :why [\"a\"]})", &Map::new()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Thrown);
    assert_eq!(error.thrown.unwrap().properties["value"], json!({"code": 7, "why": ["a"]}));
}

#[test]
fn a_name_that_cannot_be_a_variable_is_refused() {
    for odd in ["a b", "1st", "", "(x)", "#t", ":k", "nan", "'q"] {
        let error = AleScript::compile("1", &[odd]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Compile, "{odd}");
        assert!(error.message.contains("cannot be a variable"), "{}", error.message);
    }
}
