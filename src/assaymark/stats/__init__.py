"""Pure statistics: arrays and frozen nouns in, frozen results out; no clock, file or chance."""
