package io.despina.operator.source.file;

import io.despina.operator.disk.FileAddress;
import io.despina.operator.record.RecordDecoder;
import io.despina.operator.record.RecordView;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.record.avro.AvroBlockReader;
import io.despina.operator.record.avro.AvroCodec;
import io.despina.operator.record.avro.AvroContainer;
import io.despina.operator.record.avro.AvroException;
import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.OpenBytes;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.PacketWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The records of a container file of Avro, a block after the other. A place in it is where a block begins, and the number of its
 * records before the place. The file does not grow. What is damaged fails the job: nobody can say where the next record begins.
 */
final class ContainerRecords implements FileRecords, RecordView {
    /** The two numbers before a block. */
    private static final int MOST_NUMBERS = 20;
    /** Records of a block that have no bytes: a few bytes of a damaged file would be rows without an end. */
    private static final int MOST_EMPTY = 1 << 16;

    private final RecordDecoder decoder;
    private final AvroContainer container;
    private OpenBytes block = new OpenBytes();
    private AvroBlockReader reader;
    private FileBytes in;
    /** Where the current block begins; before the first one, where that does. */
    private long blockStart;
    /** The records of the block, and the number of the one found last. */
    private long count;
    private long number;
    /** Where the record found last begins. Its end is known when it is read: till then it is that of the block. */
    private int start;
    private int end;
    private boolean ended;

    /** Opens the file. */
    interface BytesOpener {
        FileBytes at(long offset) throws IOException;
    }

    /** @param decoder of this file alone, because each file has the schema of its own records */
    ContainerRecords(LineBlocks.Place from, RecordDecoder decoder, BytesOpener bytes) throws IOException {
        this.decoder = decoder;
        decoder.readBy((columns, defaults) -> {
            reader = new AvroBlockReader(columns, defaults);
            return (BinaryReader) this::read;
        });
        in = bytes.at(0);
        try {
            container = AvroContainer.read(this::first);
            reader.open(container.schema());
            in.pass(container.length());
            if (from.offset() > in.offset()) {
                in.close();
                in = bytes.at(from.offset());
            }
            blockStart = in.offset();
            if (from.line() > 0) {
                goTo(from.line());
            }
        } catch (AvroException why) {
            in.close();
            throw new IOException(FileAddress.text(in.path()) + ": " + why.getMessage(), why);
        } catch (IOException | RuntimeException why) {
            in.close();
            throw why;
        }
    }

    private String read(byte[] bytes, int from, int to, PacketWriter out) {
        String why = reader.read(bytes, from, to, out);
        end = reader.end();
        return why;
    }

    private byte[] first(int most) throws IOException {
        int there = Math.min(most, in.have(most));
        return Arrays.copyOfRange(in.bytes(), in.at(), in.at() + there);
    }

    private void goTo(long record) throws IOException {
        if (!nextBlock() || count < record) {
            throw new IOException(FileAddress.text(in.path()) + " has changed: the source was to go on behind record " + record
                    + " of the block at byte " + blockStart);
        }
        while (number < record) {
            found();
            try {
                reader.skip(block.bytes(), start, block.size());
            } catch (BrokenRecord damaged) {
                throw damaged(damaged.getMessage());
            }
            end = reader.end();
        }
    }

    @Override
    public boolean next() throws IOException {
        while (number == count) {
            if (end != block.size()) {
                throw damaged((block.size() - end) + " bytes are behind the last record of a block");
            }
            if (ended || !nextBlock()) {
                return false;
            }
        }
        found();
        return true;
    }

    private void found() {
        number++;
        start = end;
        end = block.size();
    }

    private boolean nextBlock() throws IOException {
        blockStart = in.offset();
        int there = in.have(MOST_NUMBERS);
        if (there == 0) {
            ended = true;
            block = new OpenBytes();
            end = 0;
            in.release();
            return false;
        }
        ByteCursor numbers = new ByteCursor();
        numbers.open(in.bytes(), in.at(), in.at() + there);
        try {
            count = numbers.zigzag();
            long size = numbers.zigzag();
            if (count < 0 || size < 0 || size > AvroCodec.MOST_BYTES) {
                throw damaged("a block of " + count + " records in " + size + " bytes; at most " + AvroCodec.MOST_BYTES
                        + " are read");
            }
            int head = numbers.at() - in.at();
            unpack(head, (int) size);
            if (count - MOST_EMPTY > block.size()) {
                throw damaged("a block of " + count + " records in " + block.size() + " bytes; of records without bytes at most "
                        + MOST_EMPTY + " are read");
            }
        } catch (BrokenRecord none) {
            throw damaged(there < MOST_NUMBERS ? "it ends within a block" : none.getMessage());
        }
        number = 0;
        end = 0;
        return true;
    }

    private void unpack(int head, int size) throws IOException {
        int all = head + size + AvroContainer.MARK_BYTES;
        if (in.have(all) < all) {
            throw damaged("it ends within a block");
        }
        int from = in.at() + head;
        int mark = from + size;
        if (!Arrays.equals(in.bytes(), mark, mark + AvroContainer.MARK_BYTES, container.mark(), 0, AvroContainer.MARK_BYTES)) {
            throw damaged("behind a block of " + size + " bytes is not the mark of the file");
        }
        block.cut(0);
        try {
            container.codec().unpackInto(in.bytes(), from, mark, block);
        } catch (IOException why) {
            throw damaged(why.getMessage());
        }
        in.pass(all);
    }

    private IOException damaged(String why) {
        return new IOException(FileAddress.text(in.path()) + " is damaged in the block at byte " + blockStart + ": " + why);
    }

    @Override
    public boolean decodeInto(PacketWriter out, Watermarks watermarks) throws Exception {
        if (watermarks != null) {
            return false;
        }
        try {
            return decoder.decodeInto(this, out, null);
        } catch (BrokenRecord noEnd) {
            throw damaged("record " + number + ": " + noEnd.getMessage());
        }
    }

    @Override
    public void decode(ScratchPackets scratch) throws Exception {
        try {
            decoder.decode(this, scratch);
        } catch (BrokenRecord noEnd) {
            throw damaged("record " + number + ": " + noEnd.getMessage());
        }
    }

    @Override
    public byte[] bytes() {
        return block.bytes();
    }

    @Override
    public int start() {
        return start;
    }

    /** Asked before the record is read, the end of its block. */
    @Override
    public int end() {
        return end;
    }

    /** A record's share of its block. */
    @Override
    public int length() {
        return (int) (block.size() / count);
    }

    /** The block and the record in it. */
    @Override
    public String where() {
        return FileAddress.text(in.path()) + "@" + blockStart + ":" + number;
    }

    @Override
    public Place lineStart() {
        return place(number - 1);
    }

    @Override
    public Place place() {
        return place(number);
    }

    private Place place(long before) {
        return new Place(new LineBlocks.Place(blockStart, before), false);
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
        return in.heldBytes() + block.heldBytes();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
