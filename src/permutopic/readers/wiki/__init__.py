"""Parts of the MediaWiki reader: the XML dump, markup, wikitext."""
