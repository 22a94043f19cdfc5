#![deny(warnings)]
//! Functions that end in every way.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant as Clock;

/// Names of the standard library for other things.
#[allow(dead_code)]
type Result<T> = std::result::Result<T, String>;
#[allow(dead_code)]
struct Instant;
#[allow(unused_macros)]
macro_rules! thread_local { ($($x:tt)*) => { compile_error!("ours"); }; }
#[allow(unused_macros)]
macro_rules! format { ($($x:tt)*) => { compile_error!("ours"); }; }

/// Is busy for 200 microseconds.
pub fn work() {
    let start = Clock::now();
    while start.elapsed().as_micros() < 200 {}
}

pub fn empty() {}

pub fn one_line() -> u32 { work(); 1 }

pub fn question(text: &str) -> std::result::Result<u32, std::num::ParseIntError> {
    work();
    let number = text.parse::<u32>()?;
    Ok(number)
}

pub fn early(n: u32) -> Result<&'static str> {
    #![allow(unused_labels)]
    //! Documentation of the body has to stay first.
    'outer: for i in 0.. {
        if i == n { work(); return Ok("}"); }
        if i > 3 { break 'outer; }
    }
    Err("late".to_string())
}

pub fn panics() { /* { */
    work();
    panic!("as expected")
}

pub fn recursive(n: u32) -> u32 {
    if n == 0 { work(); 0 } else { 1 + recursive(n - 1) }
}

pub fn even(n: u32) -> bool {
    if n == 0 { work(); true } else { odd(n - 1) }
}

pub(crate) fn odd(n: u32) -> bool {
    if n == 0 { work(); false } else { even(n - 1) }
}

pub fn generic<T: Clone, const N: usize>(value: &[T; N]) -> Vec<T> where T: Default {
    work();
    value.iter().map(|one| { if N > 100 { return T::default(); } one.clone() }).collect()
}

pub fn closure(n: u32) -> impl Fn(u32) -> u32 {
    work();
    move |m| { fn inner(x: u32) -> u32 { x } inner(n + m) }
}

pub async fn waits(n: u32) -> u32 {
    work();
    Yield(false).await;
    work();
    n
}

pub async fn borrows<'a>(text: &'a str) -> &'a str { waits(1).await; text }

pub const fn constant() -> u32 { 4 }

pub unsafe extern "C" fn foreign(x: u32) -> u32 { x }

pub fn never() -> ! { std::process::exit(3) }

struct Yield(bool);

impl Future for Yield {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

pub struct Type<T>(T);

impl<T: Copy> Type<T> {
    pub fn new(value: T) -> Self { work(); Type(value) }
    fn get(&self) -> T { self.0 }
}

impl<T> Drop for Type<T> {
    fn drop(&mut self) { DROPS.with(|drops| drops.set(drops.get() + 1)); }
}

pub trait Shape {
    fn area(&self) -> u32;
    fn twice(&self) -> u32 { work(); 2 * self.area() }
}

impl Shape for Type<u32> {
    fn area(&self) -> u32 { self.get() }
}

impl From<Type<u32>> for u32 {
    fn from(value: Type<u32>) -> u32 { value.get() }
}

impl From<Type<u32>> for u64 {
    fn from(value: Type<u32>) -> u64 { value.get().into() }
}

std::thread_local! { static DROPS: Cell<u32> = const { Cell::new(0) }; }

pub mod inner {
    pub fn visible() -> u32 { super::constant() }
    #[cfg(unix)]
    pub fn system() -> u32 { 1 }
    #[cfg(not(unix))]
    pub fn system() -> u32 { 2 }
    mod private { #[allow(dead_code)] pub fn hidden() {} }
}

macro_rules! made { ($name:ident) => { fn $name() -> u32 { 9 } }; }
made!(made_up);

#[cfg(test)]
mod tests {
    #[test]
    fn a_test() {}
}

fn finish<F: Future + Send>(future: F) -> F::Output where F::Output: Send {
    let mut future = Box::pin(future);
    loop {
        // Another thread goes on after each wait.
        let polled = std::thread::scope(|scope| {
            let future = &mut future;
            scope.spawn(move || future.as_mut().poll(&mut Context::from_waker(Waker::noop()))).join().unwrap()
        });
        if let Poll::Ready(value) = polled { return value; }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..10 {
        let caught = std::panic::catch_unwind(panics).is_err();
        let value = Type::new(5);
        println!(
            "{} {:?} {:?} {:?} {:?} {} {} {} {:?} {} {} {} {} {} {} {} {} {}",
            one_line(), question("7").ok(), question("x").is_err(), early(2), early(9), caught, recursive(20),
            even(9), generic(&[1, 2]), closure(1)(2), finish(waits(3)), finish(borrows("b")), constant(),
            unsafe { foreign(2) }, value.twice(), u32::from(value) as u64 + u64::from(Type::new(1)),
            inner::visible() + inner::system(), made_up(),
        );
    }
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| (0..1000).for_each(|_| empty()))).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    println!("{}", DROPS.with(Cell::get));
    never();
}
