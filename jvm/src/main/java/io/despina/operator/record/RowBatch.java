package io.despina.operator.record;

import io.despina.operator.OperatorContext;
import io.despina.packet.Packet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The rows of one request, written one behind the other. */
public final class RowBatch {
    private final RecordEncoder encoder;
    private final boolean array;
    private final LineBuffer body = new LineBuffer();
    /** Where each row begins, and where the next would. */
    private int[] starts = new int[64];
    private int rows;

    /** @param array one JSON array, in place of lines */
    public RowBatch(RecordEncoder encoder, boolean array) {
        this.encoder = encoder;
        this.array = array;
    }

    public void add(Packet packet, OperatorContext context) throws Exception {
        if (rows == 0) {
            begin();
        }
        int before = body.size();
        int last = before - 1;
        if (array && rows > 0) {
            body.bytes()[last] = ',';       // in place of the line end
        }
        encoder.write(packet, body, context);
        if (body.size() > before) {
            rows++;
            if (rows == starts.length) {
                starts = Arrays.copyOf(starts, 2 * rows);
            }
            starts[rows] = body.size();
        } else if (array && rows > 0) {
            body.bytes()[last] = '\n';      // the packet went to `on_error`
        }
    }

    private void begin() throws IOException {
        body.cut(0);
        encoder.head(body);
        if (array) {
            body.write('[');
        }
        starts[0] = body.size();
    }

    public int rows() {
        return rows;
    }

    public int size() {
        return body.size();
    }

    /** The body of the request. */
    public byte[] bytes() {
        byte[] bytes = Arrays.copyOf(body.bytes(), body.size());
        if (array) {
            bytes[bytes.length - 1] = ']';
        }
        return bytes;
    }

    /** A row's text, without what follows it. */
    public String row(int row) {
        return new String(body.bytes(), starts[row], starts[row + 1] - starts[row] - 1, StandardCharsets.UTF_8);
    }

    public void clear() {
        rows = 0;
        body.cut(0);
    }
}
