CREATE TABLE readings (
    ts TIMESTAMPTZ,
    celsius DOUBLE PRECISION,
    line TEXT,
    device TEXT
);
CREATE INDEX ON readings (device, ts);
