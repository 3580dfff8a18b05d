package io.despina.opcua;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.milo.opcua.stack.core.types.builtin.DataValue;
import org.eclipse.milo.opcua.stack.core.types.builtin.DateTime;
import org.eclipse.milo.opcua.stack.core.types.builtin.StatusCode;
import org.eclipse.milo.opcua.stack.core.types.builtin.Variant;

/** All that a node has had, in a file: a line with a number and its time for each value, which outlives a kill. */
final class KeptHistory {
    /** OPC UA's times count a tenth of a microsecond. Values of one microsecond count as one for who reads the history. */
    private static final long APART = 10;

    private final Path file;
    private final List<DataValue> had = new ArrayList<>();
    private long last;

    KeptHistory(Path file) throws IOException {
        this.file = file;
        for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            String[] parts = line.split(" ");
            last = Long.parseLong(parts[1]);
            had.add(value(Integer.parseInt(parts[0])));
        }
    }

    /** What earlier processes have left. */
    List<DataValue> had() {
        return had;
    }

    private DataValue value(int number) {
        DateTime time = new DateTime(last);
        return new DataValue(new Variant((double) number), StatusCode.GOOD, time, time);
    }

    /** Values of these numbers, both included, each with a later time; they are in the file by then. */
    List<DataValue> have(int from, int to) throws IOException {
        List<DataValue> values = new ArrayList<>();
        StringBuilder lines = new StringBuilder();
        for (int number = from; number <= to; number++) {
            last = Math.max(last + APART, DateTime.now().getUtcTime());
            values.add(value(number));
            lines.append(number).append(' ').append(last).append('\n');
        }
        Files.writeString(file, lines, StandardCharsets.US_ASCII, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return values;
    }
}
