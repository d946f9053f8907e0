//! The global memory allocator: a bump allocator in a small static arena first, a general-purpose one for what does not
//! fit or once a command turns out to run long. A hook needs a few hundred kilobytes for milliseconds; setting up the
//! general one, with a page for each size, was a seventh of its cost. In the arena only the last piece can be freed.
#![expect(unsafe_code, reason = "an allocator hands out places, which nothing but its own count keeps apart")]

use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the room. Only those that are used cost anything.
const ARENA_BYTES: usize = 1 << 20;
/// The room begins at such an address, so that what is aligned in it is aligned.
const ARENA_ALIGNMENT: usize = 64;

#[repr(C, align(64))]
pub(crate) struct BumpAllocator {
    room: UnsafeCell<[u8; ARENA_BYTES]>,
    /// Bytes of the room that are taken; all of them once it is closed.
    used: AtomicUsize,
}

// SAFETY: the bytes of the room are touched only by those who were given them, and `used` gives none of them twice.
unsafe impl Sync for BumpAllocator {}

impl BumpAllocator {
    #[expect(clippy::large_stack_arrays, reason = "it is made where it stays")]
    pub(crate) const fn new() -> Self {
        Self { room: UnsafeCell::new([0; ARENA_BYTES]), used: AtomicUsize::new(0) }
    }

    /// From now on nothing new goes into the room; what is there stays.
    pub(crate) fn close_arena(&self) {
        self.used.store(ARENA_BYTES, Ordering::Relaxed);
    }

    fn allocate_in_arena(&self, layout: Layout) -> Option<*mut u8> {
        let mut used = self.used.load(Ordering::Relaxed);
        // Checked before the loop, because a long command comes here for every allocation after the arena is full.
        if used >= ARENA_BYTES || layout.align() > ARENA_ALIGNMENT {
            return None;
        }
        loop {
            let start = used.next_multiple_of(layout.align());
            let end = start.checked_add(layout.size()).filter(|end| *end < ARENA_BYTES)?;
            // A compare-and-swap and not a plain add: a request that does not fit must leave the arena usable for
            // smaller ones.
            match self.used.compare_exchange_weak(used, end, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(self.room.get().cast::<u8>().wrapping_add(start)),
                Err(now) => used = now,
            }
        }
    }

    /// Where in the room a piece begins.
    fn arena_offset(&self, piece: *mut u8) -> Option<usize> {
        let start = piece.addr().wrapping_sub(self.room.get().addr());
        (start < ARENA_BYTES).then_some(start)
    }

    /// Moves the end of the last piece; false when it is not the last.
    fn move_end(&self, end: usize, new: usize) -> bool {
        new < ARENA_BYTES && self.used.compare_exchange(end, new, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

// SAFETY: pieces of the room are aligned, apart and inside of it, and those of the other allocator go back to it.
unsafe impl GlobalAlloc for BumpAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: what holds for us holds for the other.
        self.allocate_in_arena(layout).unwrap_or_else(|| unsafe { MiMalloc.alloc(layout) })
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        match self.arena_offset(piece) {
            Some(start) => {
                // Only the last piece can be given back; any other stays until the process ends.
                let _ = self.move_end(start + layout.size(), start);
            }
            // SAFETY: what is not of the room is of the other.
            None => unsafe { MiMalloc.dealloc(piece, layout) },
        }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(start) = self.arena_offset(piece) else {
            // SAFETY: what is not of the room is of the other.
            return unsafe { MiMalloc.realloc(piece, layout, size) };
        };
        let end = start.checked_add(size);
        // The last piece grows in place, which is what a growing `Vec` or `String` asks for most often.
        if end.is_some_and(|end| self.move_end(start + layout.size(), end)) || size <= layout.size() {
            return piece;
        }
        // SAFETY: sizes are checked by who asks, the alignment is the one of before, and old and new lie apart.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                new.copy_from_nonoverlapping(piece, layout.size());
            }
            new
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Step {
        Take { size: usize, align: usize },
        Resize { which: usize, size: usize },
        Give { which: usize },
        Close,
    }

    fn step() -> impl Strategy<Value = Step> {
        let size = || prop_oneof![8 => 1..2_000usize, 1 => 1..ARENA_BYTES];
        prop_oneof![
            8 => (size(), 0..8u32).prop_map(|(size, align)| Step::Take { size, align: 1 << align }),
            4 => (any::<usize>(), size()).prop_map(|(which, size)| Step::Resize { which, size }),
            4 => any::<usize>().prop_map(|which| Step::Give { which }),
            1 => Just(Step::Close),
        ]
    }

    /// A piece, and the byte that it is full of.
    struct Piece {
        place: *mut u8,
        layout: Layout,
        byte: u8,
    }

    impl Piece {
        fn is_whole(&self, bytes: usize) -> bool {
            // SAFETY: that many bytes of it were written.
            unsafe { std::slice::from_raw_parts(self.place, bytes) }.iter().all(|byte| *byte == self.byte)
        }

        fn fill(&self) {
            // SAFETY: it is ours.
            unsafe { self.place.write_bytes(self.byte, self.layout.size()) };
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn pieces_keep_what_is_written_to_them(steps in prop::collection::vec(step(), 1..60)) {
            static HEAP: BumpAllocator = BumpAllocator::new();
            HEAP.used.store(0, Ordering::Relaxed);
            let mut pieces: Vec<Piece> = Vec::new();
            for (step, byte) in steps.into_iter().zip(1..) {
                match step {
                    Step::Take { size, align } => {
                        let layout = Layout::from_size_align(size, align).expect("a layout");
                        // SAFETY: no layout is empty.
                        let place = unsafe { HEAP.alloc(layout) };
                        prop_assert!(!place.is_null() && place.addr() % align == 0);
                        pieces.push(Piece { place, layout, byte });
                        pieces[pieces.len() - 1].fill();
                    }
                    Step::Resize { which, size } if !pieces.is_empty() => {
                        let which = which % pieces.len();
                        let piece = &mut pieces[which];
                        // SAFETY: it is of this allocator, with this layout.
                        piece.place = unsafe { HEAP.realloc(piece.place, piece.layout, size) };
                        prop_assert!(piece.is_whole(size.min(piece.layout.size())));
                        piece.layout = Layout::from_size_align(size, piece.layout.align()).expect("a layout");
                        piece.fill();
                    }
                    Step::Give { which } if !pieces.is_empty() => {
                        let piece = pieces.swap_remove(which % pieces.len());
                        // SAFETY: as above, and it is not used any more.
                        unsafe { HEAP.dealloc(piece.place, piece.layout) };
                    }
                    Step::Close => HEAP.close_arena(),
                    Step::Resize { .. } | Step::Give { .. } => {}
                }
                for piece in &pieces {
                    prop_assert!(piece.is_whole(piece.layout.size()));
                }
            }
            for piece in pieces {
                // SAFETY: as above.
                unsafe { HEAP.dealloc(piece.place, piece.layout) };
            }
        }
    }
}
