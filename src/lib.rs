//! Fairbits: a lab in a web page that measures which languages pay when a language model is quantized.
