"""Parts of the MediaWiki reader: the dump, what is no prose, the wikitext."""
