"""Python as an interface: data frames and arrays in, labels asked for and told, results out."""
