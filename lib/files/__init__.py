"""Files: written whole or in parts, as Parquet, as models; folders that are removed again."""
