package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.Outgoing;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A row as the arguments of XADD.
 *
 * @param number    of the row in its epoch
 * @param stream    its name
 * @param arguments behind the name; null if there would be neither a value nor a field
 * @param value     for messages
 */
record Added(long number, String stream, byte[][] arguments, byte[] value) {
    /** The script unpacks those of a row, and Lua unpacks at most 8,000. */
    private static final int MOST_ARGUMENTS = 7_900;
    private static final int OVERHEAD = 100;
    private static final int ARGUMENT_OVERHEAD = 24;
    private static final byte[] ANY = {'*'};

    /** What is the same in all rows of a sink. */
    static final class Maker {
        private final String stream;
        private final byte[] field;
        private final List<byte[]> limit = new ArrayList<>();

        Maker(ConnectorSettings settings) {
            stream = settings.has("stream") ? settings.text("stream") : null;
            field = settings.text("field").getBytes(StandardCharsets.UTF_8);
            if (settings.has("max_length")) {
                for (String each : List.of("MAXLEN", "~", Long.toString(settings.whole("max_length")))) {
                    limit.add(each.getBytes(StandardCharsets.US_ASCII));
                }
            }
        }

        Added of(Outgoing row) {
            List<byte[]> arguments = new ArrayList<>(limit);
            arguments.add(ANY);
            int before = arguments.size();
            if (row.value() != null) {
                arguments.add(field);
                arguments.add(row.value());
            }
            byte[][] pairs = row.pairs();
            for (int k = 0; k < pairs.length; k += 2) {
                if (pairs[k + 1] != null) {
                    arguments.add(pairs[k]);
                    arguments.add(pairs[k + 1]);
                }
            }
            boolean isEmpty = arguments.size() == before;
            return new Added(row.number(), row.target() == null ? stream : row.target(),
                    isEmpty ? null : arguments.toArray(byte[][]::new), row.value());
        }
    }

    /** Why it is no entry, whatever the server has; null if it is one. */
    String problem() {
        if (arguments == null) {
            return "the entry for stream `" + stream + "` has neither a value nor a field: Redis takes none that is empty";
        }
        return arguments.length <= MOST_ARGUMENTS ? null : "the entry for stream `" + stream + "` has more than "
                + MOST_ARGUMENTS / 2 + " fields";
    }

    /** Memory that it takes on its way. */
    long bytes() {
        long bytes = OVERHEAD;
        for (byte[] each : arguments) {
            bytes += ARGUMENT_OVERHEAD + each.length;
        }
        return bytes;
    }
}
