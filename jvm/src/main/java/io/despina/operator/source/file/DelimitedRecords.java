package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordView;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.PacketWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Records behind their lengths, as Protobuf's "delimited": a number of seven bits a byte, the lowest first. The file does not
 * grow. A record that the end of the file cuts off is bad; a length that none can have fails the job.
 */
final class DelimitedRecords implements FileRecords, RecordView {
    private static final int MOST_PREFIX = 10;

    private final FileBytes in;
    private final RecordDecoder decoder;
    private final RecordDecoder.BadRecords bad;
    private final ByteCursor cursor = new ByteCursor();
    /** The record found last, and its number in the file. */
    private int start;
    private int end;
    private long number;
    /** Where it begins with its length, and how many bytes that and the record have. */
    private long offset;
    private int size;
    /** Why it is cut off; null if it is whole. */
    private String cut;
    private boolean ended;

    DelimitedRecords(FileBytes in, long before, RecordDecoder decoder, RecordDecoder.BadRecords bad) {
        this.in = in;
        this.decoder = decoder;
        this.bad = bad;
        number = before;
        offset = in.offset();
    }

    @Override
    public boolean next() throws IOException {
        if (ended) {
            return false;
        }
        in.pass(size);
        size = 0;
        offset = in.offset();
        int there = in.have(MOST_PREFIX);
        if (there == 0) {
            ended = true;
            in.release();
            return false;
        }
        number++;
        cut = null;
        cursor.open(in.bytes(), in.at(), in.at() + there);
        long length;
        try {
            length = cursor.varint();
        } catch (BrokenRecord none) {
            if (there == MOST_PREFIX) {
                throw new IOException(where() + ": " + none.getMessage() + " where the length of a record should be");
            }
            return cutOff(0, there, "the file ends within the length of a record");
        }
        int prefix = cursor.at() - in.at();
        if (length < 0 || length > LineBlocks.MAX_LINE_BYTES) {
            throw new IOException(where() + ": a record of " + Long.toUnsignedString(length) + " bytes, and at most "
                    + LineBlocks.MAX_LINE_BYTES + " are read: the file is damaged, or its records are not behind their lengths");
        }
        int all = prefix + (int) length;
        there = in.have(all);
        if (there < all) {
            return cutOff(prefix, there, "the file ends within the record, behind " + (there - prefix) + " of its " + length
                    + " bytes");
        }
        return found(prefix, all);
    }

    private boolean cutOff(int prefix, int all, String why) {
        cut = why;
        return found(prefix, all);
    }

    private boolean found(int prefix, int all) {
        start = in.at() + prefix;
        end = in.at() + all;
        size = all;
        return true;
    }

    @Override
    public boolean decodeInto(PacketWriter out, Watermarks watermarks) throws Exception {
        return cut == null && watermarks == null && decoder.decodeInto(this, out, null);
    }

    @Override
    public void decode(ScratchPackets scratch) throws Exception {
        if (cut == null) {
            decoder.decode(this, scratch);
        } else {
            bad.take(where() + ": " + cut, HexFormat.of().formatHex(in.bytes(), start, end));
        }
    }

    @Override
    public byte[] bytes() {
        return in.bytes();
    }

    @Override
    public int start() {
        return start;
    }

    @Override
    public int end() {
        return end;
    }

    @Override
    public int length() {
        return end - start;
    }

    @Override
    public String where() {
        return FileAddress.text(in.path()) + ":" + number;
    }

    @Override
    public Place lineStart() {
        return new Place(new LineBlocks.Place(offset, number - 1), false);
    }

    @Override
    public Place place() {
        return new Place(new LineBlocks.Place(offset + size, number), false);
    }

    @Override
    public boolean isRead() {
        return ended;
    }

    @Override
    public void rename(Path to) {
        in.rename(to);
    }

    @Override
    public long heldBytes() {
        return in.heldBytes();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
