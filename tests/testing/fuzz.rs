//! Inputs that are nearly right, for everything that reads bytes or text: right ones are changed at random.
//!
//! A reader must neither panic nor take memory out of proportion to what it reads, and what it accepts has to be right; what
//! that means, each test says. The same inputs come in every run. (cargo-fuzz needs a nightly toolchain.)
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Instant;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Set by `tools/check_all`: every test repeats as often as its full count says.
const FULL: &str = "TWISTBASE_TEST_FULL";
/// Multiplies the number of inputs.
const FACTOR: &str = "TWISTBASE_TEST_FUZZ";
/// The first tier of checks takes one input in so many.
const TIER_ONE: u64 = 5;

/// An input longer than this is not made any longer.
const LONGEST: usize = 1 << 17;

thread_local! {
    /// Bytes that this thread holds, and the most that it held.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// The system's allocator, which counts.
struct Counting;

fn count(bytes: isize) {
    // Not while the thread ends.
    let _ = HELD.try_with(|held| {
        let (now, most) = held.get();
        held.set((now + bytes, most.max(now + bytes)));
    });
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Whether this is the second tier of checks.
pub fn is_full() -> bool {
    std::env::var_os(FULL).is_some()
}

/// The number of inputs: `all` in the second tier of checks, a fifth of it in the first.
pub fn many(all: u64) -> u64 {
    let factor = std::env::var(FACTOR).map_or(1, |factor| factor.parse::<u64>().expect("a number"));
    factor * if is_full() { all } else { all / TIER_ONE }
}

/// Prints the input if anything panics.
struct Input<'a>(u64, &'a [u8]);

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("input {}: {:?}", self.0, String::from_utf8_lossy(self.1));
        }
    }
}

/// Calls `read` with so many inputs, made from those of `right`. While it runs, it may hold so many bytes, and 64 for each of
/// its input.
pub fn fuzz(name: &str, inputs: u64, right: &[Vec<u8>], memory: usize, mut read: impl FnMut(&[u8])) {
    let mut changed = Changed { right, rng: ChaCha8Rng::seed_from_u64(60), input: Vec::new() };
    // What is made once for the whole process is not held for an input.
    right.iter().for_each(|input| read(input));
    let (started, mut most) = (Instant::now(), 0);
    for number in 0..inputs {
        let input = changed.next();
        let told = Input(number, input);
        HELD.set((0, 0));
        read(input);
        let held = HELD.get().1 as usize;
        assert!(held <= memory + 64 * input.len(), "{held} bytes were taken for {}", input.len());
        most = most.max(held);
        drop(told);
    }
    let rate = inputs as f64 / started.elapsed().as_secs_f64();
    println!("{name}: {inputs} inputs, {rate:.0} a second, at most {most} bytes held");
}

/// As [`fuzz`], with text.
pub fn fuzz_text(name: &str, inputs: u64, right: &[&str], memory: usize, mut read: impl FnMut(&str)) {
    let right: Vec<Vec<u8>> = right.iter().map(|text| text.as_bytes().to_vec()).collect();
    fuzz(name, inputs, &right, memory, |bytes| read(&String::from_utf8_lossy(bytes)));
}

/// Right inputs, changed.
struct Changed<'a> {
    right: &'a [Vec<u8>],
    rng: ChaCha8Rng,
    input: Vec<u8>,
}

impl Changed<'_> {
    fn next(&mut self) -> &[u8] {
        let from = self.rng.random_range(0..self.right.len());
        self.input.clone_from(&self.right[from]);
        // One in sixteen is right.
        let changes = self.rng.random_range(0..16u32).min(4);
        for _ in 0..changes {
            self.change();
        }
        &self.input
    }

    /// A place in the input, its end included.
    fn place(&mut self) -> usize {
        self.rng.random_range(0..=self.input.len())
    }

    fn change(&mut self) {
        let (at, input) = (self.place(), self.input.len());
        match self.rng.random_range(0..10u32) {
            0 | 1 if at < input => self.input[at] ^= 1 << self.rng.random_range(0..8u32),
            2 if at < input => self.input[at] = self.byte(),
            3 if input < LONGEST => {
                let byte = self.byte();
                self.input.insert(at, byte);
            }
            4 => {
                let end = self.place();
                self.input.drain(at.min(end)..at.max(end));
            }
            5 => self.input.truncate(at),
            6 if input < LONGEST => {
                // Some of it once more.
                let end = (at + self.rng.random_range(0..64usize)).min(input);
                let (part, to) = (self.input[at..end].to_vec(), self.place());
                self.input.splice(to..to, part);
            }
            7 => {
                // The end of another one.
                let other = self.rng.random_range(0..self.right.len());
                let from = self.rng.random_range(0..=self.right[other].len());
                self.input.truncate(at);
                self.input.extend_from_slice(&self.right[other][from..]);
            }
            8 => self.number(at),
            _ => self.decimal(at),
        }
    }

    /// Bytes that mean something in some notation come more often.
    fn byte(&mut self) -> u8 {
        const USUAL: &[u8] = b"\0\x01\x7f\x80\xff0123456789-+.,:;/()[]{}\"' \n\tURFDLBurfdlbxyz'ABCDEFGHwca!\xc3\xa9";
        if self.rng.random_range(0..4u32) == 0 {
            self.rng.next_u32() as u8
        } else {
            USUAL[self.rng.random_range(0..USUAL.len())]
        }
    }

    /// Puts a number in the place of some bytes: one that a length would better not be.
    fn number(&mut self, at: usize) {
        let number =
            [u64::MAX, u64::MAX / 2, 1 << 63, 1 << 31, 1 << 32, 0, 1, 0xFFFF_FFFF][self.rng.random_range(0..8usize)];
        let bytes = if self.rng.random_range(0..2u32) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
        let length = [2, 4, 8][self.rng.random_range(0..3usize)].min(self.input.len() - at);
        self.input[at..at + length].copy_from_slice(&bytes[..length]);
    }

    /// Puts a number of digits in the place of those that are there.
    fn decimal(&mut self, at: usize) {
        const NUMBERS: [&str; 8] =
            ["0", "-1", "255", "65536", "4294967296", "18446744073709551615", "18446744073709551616", "1e400"];
        let digits = self.input[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = NUMBERS[self.rng.random_range(0..NUMBERS.len())];
        self.input.splice(at..at + digits, number.bytes());
    }
}
