package io.despina.operator.source.socket;

import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordReader;
import io.despina.operator.record.RecordView;
import io.despina.operator.record.csv.HeaderException;
import io.despina.operator.source.inflow.PeerProgress;
import io.despina.socket.Framing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The records of what came from a peer, one after the other. */
final class ReceivedRecords implements RecordView {
    private final RecordDecoder decoder;
    private Framing framing;
    private byte[] bytes = {};
    private int limit;
    private int position;
    private int start;
    private int end;
    private Peer peer;
    private PeerProgress progress;
    private long arrived;

    ReceivedRecords(RecordDecoder decoder) {
        this.decoder = decoder;
    }

    /** @param arrived when that came, in microseconds since 1970 */
    void begin(Received received, Framing framing, long arrived) throws IOException {
        this.framing = framing;
        this.arrived = arrived;
        peer = received.peer();
        progress = PeerProgress.of(peer);
        if (progress.header != null && progress.reader == null) {
            bytes = progress.header;
            start = 0;
            end = bytes.length;
            progress.reader = behindHeader();
        }
        bytes = received.bytes();
        limit = received.length();
        position = 0;
        if (progress.refused) {
            position = limit;
        }
    }

    /**
     * Finds the next record; a csv header, a comment and a blank line are none.
     *
     * @throws IOException if the peer's header does not fit the schema
     */
    boolean next() throws IOException {
        while (position < limit) {
            int body = framing.bodyEnd(bytes, position, limit);
            start = position + framing.prefix();
            end = framing == Framing.LINES && body > start && bytes[body - 1] == '\r' ? body - 1 : body;
            position = body + framing.suffix();
            progress.number++;
            if (isRecord()) {
                return true;
            }
        }
        return false;
    }

    private boolean isRecord() throws IOException {
        if (decoder.dialect() == null) {
            return true;
        }
        if (decoder.dialect().skips(bytes, start, end)) {
            return false;
        }
        if (decoder.dialect().header() && progress.header == null) {
            progress.header = Arrays.copyOfRange(bytes, start, end);
            progress.reader = behindHeader();
            return false;
        }
        return true;
    }

    private RecordReader behindHeader() throws IOException {
        try {
            return decoder.reader(this);
        } catch (HeaderException e) {
            throw e.withoutNames();
        }
    }

    /** Passes over all that follows from the peer. */
    void refuse() {
        progress.refused = true;
        position = limit;
    }

    int size() {
        return end - start;
    }

    /** The beginning of the current record, as text. */
    String text(int most) {
        return new String(bytes, start, Math.min(most, size()), StandardCharsets.UTF_8);
    }

    @Override
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public int start() {
        return start;
    }

    @Override
    public int end() {
        return end;
    }

    /** The peer, and which of its records it is, from 1; headers and blank lines count. */
    @Override
    public String where() {
        return peer.name() + ":" + progress.number;
    }

    @Override
    public long arrived() {
        return arrived;
    }

    @Override
    public RecordReader reader() {
        return progress.reader;
    }
}
