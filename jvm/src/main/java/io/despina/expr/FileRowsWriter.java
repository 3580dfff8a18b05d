package io.despina.expr;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.IOException;
import java.util.Map;

/** Writes packets as the rows of one file that holds columns, as Spark writes them. One thread. */
public interface FileRowsWriter {

    /**
     * What is written, and how.
     *
     * @param options  Spark's writer options
     * @param timeZone of the job
     * @param ansi     as in the graph's settings
     */
    record Options(Schema schema, Map<String, String> options, String timeZone, boolean ansi) {
        public Options {
            options = Map.copyOf(options);
        }
    }

    /** Adds a row. It reaches the output when its group of rows is full. */
    void write(Packet packet) throws IOException;

    /** Writes the rest and the end of the file. */
    void finish() throws IOException;

    /** Memory that rows take which the output does not have yet, about. */
    long bufferedBytes();
}
