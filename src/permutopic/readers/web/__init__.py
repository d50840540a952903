"""What the reader of web pages is made of."""
