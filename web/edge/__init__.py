"""The checks of a connection before Django reads its request. `docs/bounds.md` lists every bound."""
