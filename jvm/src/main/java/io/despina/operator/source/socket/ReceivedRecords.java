package io.despina.operator.source.socket;

import io.despina.operator.source.csv.HeaderException;
import io.despina.operator.source.file.RecordDecoder;
import io.despina.operator.source.file.RecordReader;
import io.despina.operator.source.file.RecordView;
import io.despina.socket.Framing;
import io.despina.socket.Peer;
import io.despina.socket.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

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
    private Progress progress;

    /** How far one peer has come. */
    private static final class Progress {
        private long number;
        private RecordReader reader;
        private boolean headed;
        private boolean refused;
    }

    ReceivedRecords(RecordDecoder decoder) {
        this.decoder = decoder;
    }

    void begin(Received received, Framing framing) {
        this.framing = framing;
        bytes = received.bytes();
        limit = received.length();
        position = 0;
        peer = received.peer();
        if (peer.state() == null) {
            peer.state(new Progress());
        }
        progress = (Progress) peer.state();
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
        if (decoder.dialect().header() && !progress.headed) {
            progress.headed = true;
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
    public RecordReader reader() {
        return progress.reader;
    }
}
