package io.despina.operator.source.file;

import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.io.IOException;
import java.nio.file.Path;

/** The records of a file, with the columns that its folders give it. */
final class FolderRecords implements FileRecords {
    private final FileRecords file;
    /** The packets of the record found last, as the file has them. */
    private final ScratchPackets plain;
    /** The folders' columns. */
    private final Packet folders;
    /** By column of the packets that leave: the file's column; or -1 minus the folders' column. */
    private final int[] origins;

    /**
     * @param schema  of the file
     * @param folders a packet of the columns that the folders give
     * @param origins by column of the packets that leave: the file's column; or -1 minus that of {@code folders}
     */
    FolderRecords(FileRecords file, Schema schema, Packet folders, int[] origins) {
        this.file = file;
        this.folders = folders;
        this.origins = origins;
        plain = new ScratchPackets(schema);
    }

    @Override
    public boolean decodeInto(PacketWriter out, Watermarks watermarks) throws Exception {
        if (watermarks != null) {
            return false;
        }
        decodeInto(out);
        return true;
    }

    @Override
    public void decode(ScratchPackets scratch) throws Exception {
        decodeInto(scratch.writer());
    }

    private void decodeInto(PacketWriter out) throws Exception {
        plain.clear();
        if (!file.decodeInto(plain.writer(), null)) {
            file.decode(plain);
        }
        Packet packet;
        while ((packet = plain.next()) != null) {
            out.begin();
            for (int k = 0; k < origins.length; k++) {
                if (origins[k] < 0) {
                    out.setColumn(k, folders, -1 - origins[k]);
                } else {
                    out.setColumn(k, packet, origins[k]);
                }
            }
            out.commit();
        }
    }

    @Override
    public boolean next() throws IOException {
        return file.next();
    }

    @Override
    public int length() {
        return file.length();
    }

    @Override
    public String where() {
        return file.where();
    }

    @Override
    public Place lineStart() {
        return file.lineStart();
    }

    @Override
    public Place place() {
        return file.place();
    }

    @Override
    public boolean isRead() {
        return file.isRead();
    }

    @Override
    public void rename(Path to) {
        file.rename(to);
    }

    @Override
    public void leave() {
        file.leave();
    }

    @Override
    public void restart() throws IOException {
        file.restart();
    }

    @Override
    public long heldBytes() {
        return file.heldBytes() + plain.bytes();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
