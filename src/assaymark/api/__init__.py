"""Python as an interface: data frames and arrays in, ask and tell for labels, results out."""
