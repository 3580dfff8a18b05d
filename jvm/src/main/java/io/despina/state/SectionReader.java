package io.despina.state;

import io.despina.packet.Packet;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Reads one section of a snapshot, entry by entry. It does not trust the data: it checks every length. */
public final class SectionReader {
    /** The most bytes read at once, so that a damaged length cannot cause a large allocation. */
    private static final int STEP = 1 << 16;
    private static final int LONGEST = Integer.MAX_VALUE - 8;

    private final String name;
    private final int writer;
    private final int writers;
    private final DataInputStream in;
    private byte[] content = new byte[STEP];
    private int bucket;
    private int length;
    private DataInputStream data;
    private long entries;

    /**
     * @param name    of the state, for exceptions
     * @param writer  the instance that wrote the section
     * @param writers the parallelism at that time
     */
    SectionReader(String name, int writer, int writers, InputStream in) {
        this.name = name;
        this.writer = writer;
        this.writers = writers;
        this.in = new DataInputStream(in);
    }

    /** @throws SnapshotException if the section is of another version, rule or schema than {@code state} */
    public void begin(StateDescriptor state) throws IOException {
        try {
            StateFormat.checkHeader(in, state);
        } catch (EOFException cut) {
            throw cut(cut);
        }
    }

    /** Moves to the next entry; false at the section's end. */
    public boolean next() throws IOException {
        if (data != null && data.available() > 0) {
            throw new SnapshotException("state `" + name + "`: an entry has " + data.available() + " bytes too many");
        }
        try {
            bucket = in.readInt();
            if (bucket == SectionWriter.END) {
                end();
                return false;
            }
            length = StateFormat.readCount(in, name, LONGEST);
            readContent();
        } catch (EOFException cut) {
            throw cut(cut);
        }
        entries++;
        data = new DataInputStream(new ByteArrayInputStream(content, 0, length));
        return true;
    }

    private void end() throws IOException {
        long written = in.readLong();
        if (written != entries) {
            throw new SnapshotException("state `" + name + "`: " + entries + " entries where " + written + " were written");
        }
        if (in.read() >= 0) {
            throw new SnapshotException("state `" + name + "`: more follows where its section should end");
        }
    }

    private void readContent() throws IOException {
        if (content.length < Math.min(length, STEP)) {
            content = new byte[STEP];
        }
        int read = 0;
        while (read < length) {
            if (read == content.length) {
                content = Arrays.copyOf(content, (int) Math.min(length, 2L * read));
            }
            int step = Math.min(length, content.length) - read;
            in.readFully(content, read, step);
            read += step;
        }
    }

    private SnapshotException cut(EOFException cause) {
        return new SnapshotException("state `" + name + "`: the section is cut short", cause);
    }

    /** Skips the content of the entry. */
    public void skip() {
        data = null;
    }

    /** The instance that wrote the section. */
    int writer() {
        return writer;
    }

    /** How many instances wrote sections of this state. */
    int writers() {
        return writers;
    }

    /** The entry's bucket, or {@link SectionWriter#NO_BUCKET}. */
    public int bucket() {
        return bucket;
    }

    /** The entry's content. All of it must be read, or {@link #skip} called. */
    public DataInputStream data() {
        return data;
    }

    /** Moves {@code view} to the next packet in the entry's content; it is valid until the next entry. */
    void packet(Packet view) throws IOException {
        int size = StateFormat.readCount(data, name, data.available());
        int at = length - data.available();
        if (size > data.available()) {
            throw new SnapshotException("state `" + name + "`: a packet of " + size + " bytes, of which "
                    + data.available() + " are there");
        }
        StateFormat.view(content, at, size, name, view);
        data.skipNBytes(size);
    }
}
