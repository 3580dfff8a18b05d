package io.despina.spec;

import java.util.Locale;

/** How records are written in files. */
public enum FileFormat {
    CSV, JSON,
    /** One STRING column, a line each; sinks write NULL as an empty line. */
    TEXT,
    /** Columns, packed in groups of rows. */
    PARQUET,
    /** InfluxDB's line protocol, a line each. Of records that come or go one by one, and of no files. */
    INFLUX,
    /** Avro's binary form, without a schema. Of records that come or go one by one, and of no files. */
    AVRO,
    /** Messages of Protobuf, which a descriptor file describes. Of records that come or go one by one, and of no files. */
    PROTOBUF,
    /** Elements, one or several in a document. Of records that come or go one by one, and of no files. */
    XML,
    /** One BINARY column: the whole record as it is. Of records that do not end at a byte. */
    RAW;

    /** As the graph file and Spark name it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether records are text: lines, each a record or a part of one, or documents. */
    public boolean isText() {
        return this != PARQUET && this != RAW && this != AVRO && this != PROTOBUF;
    }

    /** Whether a record is the one column as it is. */
    public boolean isWhole() {
        return this == TEXT || this == RAW;
    }

    /** Of {@link #isWhole}: whether the column is BINARY, and else STRING. */
    public boolean isBinary() {
        return this == RAW;
    }
}
