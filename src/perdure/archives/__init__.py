"""Archives: Parquet batches on files, S3-compatible services and whatever fsspec opens."""
