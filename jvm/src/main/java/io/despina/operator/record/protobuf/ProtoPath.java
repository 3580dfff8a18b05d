package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/**
 * What clients of a schema registry write between the number of the schema and a message: which message of the schema it is. That
 * is how many numbers follow, and the numbers: the index among the messages of the file, then in each. A zero alone is the first.
 */
final class ProtoPath {
    private static final int MOST = 100;

    private final ProtoMessage message;
    private final int[] path;
    private final byte[] written;

    ProtoPath(ProtoMessage message) {
        this.message = message;
        path = message.path().stream().mapToInt(Integer::intValue).toArray();
        ProtoOut out = new ProtoOut();
        if (message.path().equals(List.of(0))) {
            out.varint(0);
        } else {
            out.varint(2L * message.path().size());
            message.path().forEach(index -> out.varint(2L * index));
        }
        written = out.toBytes();
    }

    void write(OutputStream out) throws IOException {
        out.write(written);
    }

    /** Reads records behind it; one of another message is bad. */
    BinaryReader before(BinaryReader reader) {
        ByteCursor in = new ByteCursor();
        return (bytes, from, to, out) -> {
            in.open(bytes, from, to);
            String why;
            try {
                why = passes(in) ? null : "it is another message of its schema than " + message.name() + ", which is "
                        + message.path() + " there: each number is a message's place within the one before";
            } catch (BrokenRecord broken) {
                why = "it does not say which message of its schema it is: " + broken.getMessage();
            }
            return why == null ? reader.read(bytes, in.at(), to, out) : why;
        };
    }

    /** Goes behind the numbers. @return whether they are those of the message */
    private boolean passes(ByteCursor in) {
        long count = in.zigzag();
        if (count < 0 || count > MOST) {
            throw new BrokenRecord(count + " messages within each other");
        }
        boolean fits = Math.max(1, count) == path.length && (count > 0 || path[0] == 0);
        for (int k = 0; k < count; k++) {
            long index = in.zigzag();
            fits &= k < path.length && path[k] == index;
        }
        return fits;
    }
}
