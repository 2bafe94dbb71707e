//! Checks of the tree itself: layers, file lengths, words.
