//! The memory of one JavaScript engine in one piece, so that it can be put back as it was.
//!
//! A context with the script's modules loaded is costly to build (0.2 ms; 5 ms with Zod) and cheap to
//! copy. So every byte that an engine allocates lies in its [`Arena`]; after loading, [`Arena::image`]
//! keeps a copy, and after each call [`Arena::restore`] writes it back: 5 microseconds for a plain
//! script, 100 with Zod. What the call did to globals, prototypes or module variables is gone with it.
//!
//! The allocator is simple, since QuickJS carves small objects out of blocks of its own: size classes,
//! four to each doubling, with a list of free blocks each, and a mark up to which the arena is used. All
//! of its state is inside the arena, so an image holds it too.

#![expect(unsafe_code, reason = "an allocator hands out raw memory; each block says why it may")]

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rquickjs::allocator::Allocator;

const ALIGN: usize = 16;
const HEADER_BYTES: usize = size_of::<BlockHeader>();
const BLOCK_BYTES_MIN: usize = 64;
const N_CLASSES: usize = 160;

/// The largest arena whose blocks all have a class.
const ARENA_BYTES_MAX: usize = 1 << 38;

const _: () = assert!(HEADER_BYTES == ALIGN, "what follows a header must be aligned");
const _: () = assert!(ARENA_BYTES_MAX.ilog2() as usize * 4 + 4 < N_CLASSES);

/// Stands at the beginning of the arena.
#[repr(C, align(16))]
struct ArenaHead {
    /// Offset of the first byte that was never handed out.
    used_bytes: usize,
    /// What the blocks take that are handed out.
    live_bytes: usize,
    /// Offset of the first free block of each class; 0 is none.
    free: [usize; N_CLASSES],
}

/// Stands before each block. While the block is free, the offset of the next free one follows it.
#[repr(C)]
struct BlockHeader {
    /// Without this header.
    usable_bytes: usize,
    class: usize,
}

/// Memory for one engine. Reserved whole, taken from the system as it is touched.
pub(super) struct Arena {
    base: NonNull<u8>,
    layout: Layout,
    /// Our bound, not QuickJS's own: that one would be in the way of its interrupts. See `lift`.
    live_bytes_max: AtomicUsize,
    is_closed: AtomicBool,
}

// SAFETY: the arena owns its memory, and only one thread at a time runs the engine that lives in it.
unsafe impl Send for Arena {}
// SAFETY: through a shared arena only `used_bytes` is read, by the thread that runs the engine; other
// threads reach nothing but the bounds, which are atomic.
unsafe impl Sync for Arena {}

/// A copy of the used part of an arena.
pub(super) struct Image(Box<[u8]>);

impl Image {
    pub(super) fn n_bytes(&self) -> usize {
        self.0.len()
    }
}

impl Arena {
    /// `None` if the system has no such piece of memory.
    pub(super) fn new(n_bytes: usize) -> Option<Arc<Arena>> {
        let n_bytes = n_bytes.clamp(size_of::<ArenaHead>() + BLOCK_BYTES_MIN, ARENA_BYTES_MAX);
        let layout = Layout::from_size_align(n_bytes, 4096).ok()?;
        // SAFETY: the layout is not empty.
        let base = NonNull::new(unsafe { alloc(layout) })?;
        let used_bytes = size_of::<ArenaHead>();
        let head = ArenaHead { used_bytes, live_bytes: 0, free: [0; N_CLASSES] };
        // SAFETY: the arena is larger than its head and aligned to a page.
        unsafe { base.cast::<ArenaHead>().write(head) };
        let (live_bytes_max, is_closed) = (AtomicUsize::new(usize::MAX), AtomicBool::new(false));
        Some(Arc::new(Arena { base, layout, live_bytes_max, is_closed }))
    }

    /// Blocks may take so much more than they take now.
    pub(super) fn set_limit(&self, n_bytes: usize) {
        // SAFETY: the head was written by `new`, and nobody else writes now: see `Sync` above.
        let live_bytes = unsafe { (*self.base.cast::<ArenaHead>().as_ptr()).live_bytes };
        self.live_bytes_max.store(live_bytes.saturating_add(n_bytes), Ordering::Relaxed);
    }

    /// From now on there is no more memory to be had. That ends what interrupts come too rarely for:
    /// QuickJS looks up once in ten thousand calls and turns of loops, each of which may take long.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    pub(super) fn reopen(&self) {
        self.is_closed.store(false, Ordering::Relaxed);
    }

    /// No bound from now on but the arena's size. To stop a script, QuickJS throws an error that cannot
    /// be caught; where it finds no memory for that error, it throws one that can.
    pub(super) fn lift(&self) {
        self.reopen();
        self.live_bytes_max.store(usize::MAX, Ordering::Relaxed);
    }

    /// How far the arena was ever used since the image that it was last restored to.
    pub(super) fn used_bytes(&self) -> usize {
        // SAFETY: the head was written by `new`, and nobody else writes now: see `Sync` above.
        unsafe { (*self.base.cast::<ArenaHead>().as_ptr()).used_bytes }
    }

    /// A copy of everything in use.
    ///
    /// # Safety
    /// The engine is not running.
    pub(super) unsafe fn image(&self) -> Image {
        // SAFETY: these bytes were handed out, so they are inside the arena; the engine does not write.
        let used = unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.used_bytes()) };
        Image(used.into())
    }

    /// Makes the engine what it was when `image` was taken from this arena.
    ///
    /// # Safety
    /// The engine is not running, and whoever holds handles to its values held the same ones, with the
    /// same counts, when the image was taken: the counts are in the image.
    pub(super) unsafe fn restore(&self, image: &Image) {
        assert!(image.0.len() <= self.layout.size(), "an image of another arena");
        // SAFETY: it fits, and a boxed slice never overlaps the arena.
        unsafe { ptr::copy_nonoverlapping(image.0.as_ptr(), self.base.as_ptr(), image.0.len()) };
    }

    fn header(&self, offset: usize) -> *mut BlockHeader {
        // SAFETY: only offsets of blocks inside the arena are passed.
        unsafe { self.base.as_ptr().add(offset).cast() }
    }

    fn allocate(&self, n_bytes: usize) -> *mut u8 {
        if self.is_closed.load(Ordering::Relaxed) {
            return ptr::null_mut();
        }
        let Some((class, block_bytes)) = n_bytes.checked_add(HEADER_BYTES).and_then(class_of)
        else {
            return ptr::null_mut();
        };
        // SAFETY: the head is valid, and only the thread that runs the engine allocates.
        let head = unsafe { &mut *self.base.cast::<ArenaHead>().as_ptr() };
        let live_bytes = head.live_bytes + block_bytes;
        if live_bytes > self.live_bytes_max.load(Ordering::Relaxed) {
            return ptr::null_mut();
        }
        let offset = match head.free[class] {
            0 => {
                if block_bytes > self.layout.size() - head.used_bytes {
                    return ptr::null_mut();
                }
                let offset = head.used_bytes;
                head.used_bytes += block_bytes;
                let header = BlockHeader { usable_bytes: block_bytes - HEADER_BYTES, class };
                // SAFETY: the block lies between the old and the new mark.
                unsafe { self.header(offset).write(header) };
                offset
            }
            offset => {
                // SAFETY: a block in the list is free, and a free block holds the next one's offset.
                head.free[class] = unsafe { self.header(offset).add(1).cast::<usize>().read() };
                offset
            }
        };
        head.live_bytes = live_bytes;
        // SAFETY: what follows the header belongs to the block.
        unsafe { self.header(offset).add(1).cast() }
    }

    /// # Safety
    /// `block` came from `allocate` and was not freed since.
    unsafe fn free(&self, block: *mut u8) {
        // SAFETY: a header stands before every block that was handed out, and the head is valid.
        unsafe {
            let header = block.cast::<BlockHeader>().sub(1);
            let head = &mut *self.base.cast::<ArenaHead>().as_ptr();
            head.live_bytes -= (*header).usable_bytes + HEADER_BYTES;
            block.cast::<usize>().write(head.free[(*header).class]);
            head.free[(*header).class] = header.addr() - self.base.addr().get();
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout; the allocator below, which hands it out, is gone.
        unsafe { dealloc(self.base.as_ptr(), self.layout) };
    }
}

/// What QuickJS gets. Keeps the arena alive until its runtime is freed.
pub(super) struct ArenaAllocator(pub(super) Arc<Arena>);

// SAFETY: blocks are disjoint, aligned to 16 and as large as asked for; null means no memory.
unsafe impl Allocator for ArenaAllocator {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.0.allocate(size)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(n_bytes) = count.checked_mul(size) else { return ptr::null_mut() };
        let block = self.0.allocate(n_bytes);
        if !block.is_null() {
            // SAFETY: the block has at least so many bytes.
            unsafe { ptr::write_bytes(block, 0, n_bytes) };
        }
        block
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: as the caller promises.
        unsafe { self.0.free(block) };
    }

    unsafe fn realloc(&mut self, block: *mut u8, new_size: usize) -> *mut u8 {
        if block.is_null() {
            return self.0.allocate(new_size);
        }
        // SAFETY: the caller promises a block of this arena; the new one is another and larger.
        unsafe {
            let usable = Self::usable_size(block);
            if new_size <= usable {
                return block;
            }
            let grown = self.0.allocate(new_size);
            if !grown.is_null() {
                ptr::copy_nonoverlapping(block, grown, usable);
                self.0.free(block);
            }
            grown
        }
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: a header stands before every block.
        unsafe { (*block.cast::<BlockHeader>().sub(1)).usable_bytes }
    }
}

/// The class of a block of so many bytes, header included, and the size of all blocks of that class.
fn class_of(block_bytes: usize) -> Option<(usize, usize)> {
    let wanted = block_bytes.max(BLOCK_BYTES_MIN);
    if wanted > ARENA_BYTES_MAX {
        return None;
    }
    // `below` is the power of two below `wanted`; the next is reached in four steps.
    let below = wanted.next_power_of_two() / 2;
    let step = below / 4;
    let n_steps = (wanted - below).div_ceil(step);
    let size = below + n_steps * step;
    // Four steps above one power are none above the next: the same class, the same size.
    Some((below.ilog2() as usize * 4 + n_steps, size.next_multiple_of(ALIGN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_holds_what_was_asked_for_and_little_more() {
        let mut sizes = std::collections::BTreeMap::new();
        for n_bytes in (1..5000).chain((5000..3_000_000).step_by(997)) {
            let (class, size) = class_of(n_bytes).unwrap();
            assert!(size >= n_bytes && size.is_multiple_of(ALIGN) && class < N_CLASSES);
            assert!(n_bytes < BLOCK_BYTES_MIN || size <= n_bytes + n_bytes / 4 + ALIGN);
            assert_eq!(*sizes.entry(class).or_insert(size), size, "one class, one size");
        }
        assert_eq!(class_of(ARENA_BYTES_MAX + 1), None);
    }

    #[test]
    fn blocks_are_reused_grown_and_bounded() {
        let arena = Arena::new(1 << 16).unwrap();
        let mut allocator = ArenaAllocator(arena.clone());
        let first = allocator.alloc(100);
        // SAFETY: blocks of this allocator, freed once.
        unsafe {
            allocator.dealloc(first);
            assert_eq!(allocator.alloc(99), first, "the free block of the class is taken");
            first.write_bytes(7, 99);
            let grown = allocator.realloc(first, 1000);
            assert_eq!(std::slice::from_raw_parts(grown, 99), [7; 99]);
            assert!(ArenaAllocator::usable_size(grown) >= 1000);
        }
        assert!(allocator.alloc(1 << 16).is_null(), "more than the arena has");
        assert!(allocator.alloc(usize::MAX).is_null());
        assert!(allocator.calloc(usize::MAX, 2).is_null());
    }

    #[test]
    fn an_arena_can_be_limited_closed_and_lifted() {
        let arena = Arena::new(1 << 16).unwrap();
        let mut allocator = ArenaAllocator(arena.clone());
        let first = allocator.alloc(1000);
        arena.set_limit(4000);
        let second = allocator.alloc(2000);
        assert!(!second.is_null() && allocator.alloc(2000).is_null(), "one more is too much");
        // SAFETY: a block of this allocator, freed once.
        unsafe { allocator.dealloc(first) };
        assert!(!allocator.alloc(2000).is_null(), "what is freed can be used again");
        arena.close();
        assert!(allocator.alloc(1).is_null());
        arena.reopen();
        assert!(!allocator.alloc(1).is_null() && allocator.alloc(2000).is_null());
        arena.lift();
        assert!(!allocator.alloc(20_000).is_null());
    }

    #[test]
    fn a_restored_arena_is_what_it_was() {
        let arena = Arena::new(1 << 16).unwrap();
        let mut allocator = ArenaAllocator(arena.clone());
        let kept = allocator.alloc(100);
        // SAFETY: nothing runs in this arena.
        unsafe {
            kept.write_bytes(1, 100);
            let image = arena.image();
            let used_bytes = arena.used_bytes();
            kept.write_bytes(2, 100);
            allocator.dealloc(kept);
            let later = allocator.alloc(5000);
            assert!(!later.is_null() && arena.used_bytes() > used_bytes);
            arena.restore(&image);
            assert_eq!(arena.used_bytes(), used_bytes);
            assert_eq!(*kept, 1);
            assert_eq!(allocator.alloc(5000), later);
        }
    }
}
