"""Parts of the HTML reader: encoding, structure, boilerplate, text."""
