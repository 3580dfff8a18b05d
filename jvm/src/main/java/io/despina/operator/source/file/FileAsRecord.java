package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordView;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.PacketWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * A file that is one record, packed or not: its bytes as they are. One without bytes is none, as on Spark, and one that is too
 * long is a bad one. It does not grow.
 */
final class FileAsRecord implements FileRecords, RecordView {
    private static final int MOST_BYTES = LineBlocks.MAX_LINE_BYTES;
    private static final byte[] NOTHING = {};

    private final RecordDecoder decoder;
    private final RecordDecoder.BadRecords bad;
    /** Open to the end, so that no other file gets this one's identity while it is followed. */
    private final InputStream in;
    private Path path;
    private byte[] bytes = NOTHING;
    /** How often it was found: never, or once. */
    private long found;
    private boolean ended;

    /**
     * How a file is read.
     *
     * @param bytes opens it
     * @param bad   takes one that is too long
     */
    record Options(RecordDecoder decoder, FileInput.Opener bytes, RecordDecoder.BadRecords bad) {
    }

    /** @param before how often it was found before: never, or once */
    FileAsRecord(Path path, long before, Options options) throws IOException {
        this.path = path;
        decoder = options.decoder;
        bad = options.bad;
        found = before;
        InputFiles.refuseSpecial(path);
        in = options.bytes.open(path);
    }

    @Override
    public boolean next() throws IOException {
        bytes = found > 0 ? NOTHING : in.readNBytes(MOST_BYTES + 1);
        found = 1;
        ended = bytes.length == 0;
        return !ended;
    }

    @Override
    public boolean decodeInto(PacketWriter out, Watermarks watermarks) throws Exception {
        return bytes.length <= MOST_BYTES && decoder.decodeInto(this, out, null);
    }

    @Override
    public void decode(ScratchPackets scratch) throws Exception {
        if (bytes.length <= MOST_BYTES) {
            decoder.decode(this, scratch);
        } else {
            bad.take(where() + ": the file has more than " + MOST_BYTES + " bytes", "");
        }
    }

    @Override
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public int start() {
        return 0;
    }

    @Override
    public int end() {
        return bytes.length;
    }

    @Override
    public int length() {
        return bytes.length;
    }

    @Override
    public String where() {
        return FileAddress.text(path);
    }

    @Override
    public Place lineStart() {
        return Place.START;
    }

    @Override
    public Place place() {
        return new Place(new LineBlocks.Place(found, found), false);
    }

    @Override
    public boolean isRead() {
        return ended;
    }

    @Override
    public void rename(Path to) {
        path = to;
    }

    @Override
    public long heldBytes() {
        return bytes.length;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
