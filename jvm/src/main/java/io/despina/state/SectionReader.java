package io.despina.state;

import io.despina.packet.Packet;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads what one instance has written of a state, entry by entry: a section, or a chain of them, of which it gives each entry as
 * it was last. It does not trust the data: it checks every length.
 */
public final class SectionReader implements Closeable {
    private static final int LONGEST = Integer.MAX_VALUE - 8;

    private final String name;
    private final int writer;
    private final int writers;
    private final Sections from;
    private final Content content = new Content();
    private final DataInputStream data = new DataInputStream(content);
    /** The section that is being read. */
    private SectionInput in;
    private int section;
    /** That in which the chain begins: it has all entries. */
    private int whole;
    /** Null unless there are changes. */
    private LastWords lastWords;
    private LastWords.Group group;
    private int bucket;
    private int number;
    private int length;
    private long entries;

    /** The content of an entry. */
    private static final class Content extends InputStream {
        private byte[] bytes;
        private int at;
        private int end;

        void reset(byte[] of, int start, int length) {
            bytes = of;
            at = start;
            end = start + length;
        }

        @Override
        public int read() {
            return at < end ? bytes[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int to, int wanted) {
            if (at == end) {
                return wanted == 0 ? 0 : -1;
            }
            int some = Math.min(wanted, end - at);
            System.arraycopy(bytes, at, into, to, some);
            at += some;
            return some;
        }

        @Override
        public long skip(long wanted) {
            int some = (int) Math.max(0, Math.min(wanted, end - at));
            at += some;
            return some;
        }

        @Override
        public int available() {
            return end - at;
        }
    }

    /**
     * @param name    of the state
     * @param writer  the instance that wrote it
     * @param writers the parallelism at that time
     */
    SectionReader(String name, int writer, int writers, Sections from) {
        this.name = name;
        this.writer = writer;
        this.writers = writers;
        this.from = from;
    }

    /** For one who has no such state, and only wants to see what is there. */
    public static SectionReader unknown(String name, Sections from) {
        return new SectionReader(name, 0, 1, from);
    }

    /** Begins with a state of any schema, and answers it. */
    public String head() throws IOException {
        open();
        return in.head().schema();
    }

    /** Begins with a state of any rule and schema, and answers both. */
    StateDescriptor described() throws IOException {
        open();
        return in.head().describe(name);
    }

    /** @throws SnapshotException if what was written is of another version, rule or schema than {@code state} */
    public void begin(StateDescriptor state) throws IOException {
        open();
        in.head().check(state);
    }

    /** Looks for the newest section that has all entries, and what has changed since. */
    private void open() throws IOException {
        int newest = from.pieces() - 1;
        for (whole = newest;; whole--) {
            in = new SectionInput(from.section(name, whole), name);
            if (in.head().form() != SectionForm.CHANGES) {
                break;
            }
            in.close();
            if (whole == 0) {
                throw new SnapshotException("state `" + name + "`: changes of a state that is not there");
            }
        }
        if (newest - whole > LastWords.MOST) {
            throw new SnapshotException("state `" + name + "`: a chain of " + (newest - whole) + " changes");
        }
        section = whole;
        lastWords = newest > whole ? new LastWords() : null;
        for (int k = whole + 1; k <= newest; k++) {
            listen(k);
        }
        enter(0);
    }

    /** Notes which entries a section of changes has something to say of. */
    private void listen(int k) throws IOException {
        SectionInput all = in;
        try (SectionInput changes = new SectionInput(from.section(name, k), name)) {
            in = changes;
            int of = 0;
            for (entries = 0; readHead(); entries++) {
                if (bucket == StateFormat.GROUP) {
                    of = number;
                } else if (bucket == StateFormat.GROUP_GONE) {
                    lastWords.groupGone(k - whole, number);
                } else if (bucket == StateFormat.GONE) {
                    for (int gone = 0; gone < length; gone++) {
                        lastWords.say(k - whole, of, number + gone);
                    }
                } else {
                    lastWords.say(k - whole, of, number);
                    changes.skip(length);
                }
            }
        } finally {
            in = all;
            entries = 0;
        }
    }

    private void enter(int of) {
        group = lastWords == null ? null : lastWords.group(of);
    }

    /** Moves to the next entry; false at the end. */
    public boolean next() throws IOException {
        if (content.available() > 0) {
            throw new SnapshotException("state `" + name + "`: an entry has " + content.available() + " bytes too many");
        }
        while (true) {
            if (!readHead()) {
                if (!follow()) {
                    return false;
                }
                continue;
            }
            entries++;
            if (bucket == StateFormat.GROUP) {
                enter(number);
            } else if (bucket != StateFormat.GONE && bucket != StateFormat.GROUP_GONE) {
                if (group == null || group.stands(section - whole, number)) {
                    in.content(length);
                    content.reset(in.bytes(), in.start(length), length);
                    return true;
                }
                in.skip(length);
            }
        }
    }

    /** @return false at the end of the section */
    private boolean readHead() throws IOException {
        bucket = in.readInt();
        if (bucket == SectionWriter.END) {
            end();
            return false;
        }
        number = 0;
        if (in.head().form() != SectionForm.PLAIN) {
            number = in.readInt();
        } else if (bucket < SectionWriter.NO_BUCKET) {
            throw new SnapshotException("state `" + name + "`: bucket " + bucket);
        }
        length = in.readInt();
        if (length < 0 || length > LONGEST || number < 0 || length > LONGEST - number && bucket == StateFormat.GONE) {
            throw new SnapshotException("state `" + name + "`: count=" + length + " of entry " + number
                    + ", expected 0 to " + LONGEST);
        }
        return true;
    }

    private void end() throws IOException {
        long written = in.readLong();
        if (written != entries) {
            throw new SnapshotException("state `" + name + "`: " + entries + " entries where " + written + " were written");
        }
        if (!in.isAtEnd()) {
            throw new SnapshotException("state `" + name + "`: more follows where its section should end");
        }
    }

    /** Goes on with the changes that follow. @return false if there are none */
    private boolean follow() throws IOException {
        if (section == from.pieces() - 1) {
            return false;
        }
        in.close();
        in = new SectionInput(from.section(name, ++section), name);
        entries = 0;
        enter(0);
        return true;
    }

    /** Skips the content of the entry. */
    public void skip() {
        content.reset(in.bytes(), 0, 0);
    }

    /** Adds the entry to a section that has no numbers, as it is. */
    void copy(SectionWriter to) {
        to.beginEntry(bucket);
        to.put(in.bytes(), in.start(length), length);
        to.endEntry();
        skip();
    }

    /** The instance that wrote it. */
    int writer() {
        return writer;
    }

    /** How many instances wrote this state. */
    int writers() {
        return writers;
    }

    /** The entry's bucket, or {@link SectionWriter#NO_BUCKET}. */
    public int bucket() {
        return StateFormat.bucket(bucket);
    }

    /** Whether the entry is part of a list in a value of a table. */
    public boolean isPart() {
        return StateFormat.isFlagged(bucket, StateFormat.PART);
    }

    /** Whether the entry's value needs such parts. */
    boolean isCut() {
        return StateFormat.isFlagged(bucket, StateFormat.CUT);
    }

    /** The entry's content. All of it must be read, or {@link #skip} called. */
    public DataInputStream data() {
        return data;
    }

    /** The next byte of the entry's content, which is not read by this; -1 at its end. */
    int peek() {
        return content.at < content.end ? content.bytes[content.at] & 0xff : -1;
    }

    /** Moves {@code view} to the next packet in the entry's content; it is valid until the next entry. */
    public void packet(Packet view) throws IOException {
        if (content.available() < Integer.BYTES) {
            throw new EOFException();
        }
        int size = SectionInput.intAt(content.bytes, content.at);
        content.at += Integer.BYTES;
        if (size < 0 || size > content.available()) {
            throw new SnapshotException("state `" + name + "`: a packet of " + size + " bytes, of which "
                    + content.available() + " are there");
        }
        StateFormat.view(content.bytes, content.at, size, name, view);
        content.at += size;
    }

    @Override
    public void close() throws IOException {
        if (in != null) {
            in.close();
        }
    }
}
