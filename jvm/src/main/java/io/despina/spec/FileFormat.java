package io.despina.spec;

import java.util.Locale;

/** How records are written in files. */
public enum FileFormat {
    CSV, JSON,
    /** One STRING column, a line each; sinks write NULL as an empty line. */
    TEXT,
    /** Columns, packed in groups of rows. */
    PARQUET,
    /** InfluxDB's line protocol, a line each. */
    INFLUX,
    /** Avro's binary form: without a schema where records come or go one by one; files are containers, which have it. */
    AVRO,
    /** Messages of Protobuf, which a descriptor file describes; in files each is behind its length. */
    PROTOBUF,
    /** Elements, one or several in a document. */
    XML,
    /** One BINARY column: the whole record as it is. Of records that do not end at a byte. */
    RAW;

    /** As the graph file and Spark name it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How the names of its files end. */
    public String ending() {
        return this == TEXT ? "txt" : word();
    }

    /** Whether records are text: lines, each a record or a part of one, or documents. */
    public boolean isText() {
        return this != PARQUET && this != RAW && this != AVRO && this != PROTOBUF;
    }

    /** Whether each record is one line, or several lines; else a record may have a line end anywhere. */
    public boolean isLines() {
        return isText() && this != XML;
    }

    /** Whether a file of it is packed from within, if at all. */
    public boolean isPackedWithin() {
        return this == PARQUET || this == AVRO;
    }

    /** Whether something can be added to a file of it, which then is as if it had been written at once. */
    public boolean isAppended() {
        return !isPackedWithin() && this != XML;
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
