package io.despina.operator.source.socket;

import io.despina.inflow.Received;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.operator.record.ScratchPackets;
import io.despina.packet.Packet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads the records that peers send, in the order in which they arrive. */
public final class SocketSource extends ListeningSource {
    /** Characters of a record that is too long, in its message. */
    private static final int SHOWN = 1_000;
    /** In place of how many rows of a record have left. */
    private static final long ALL = -1;

    /** What is being read, or null. */
    private Received received;
    /** Rows of the last decoded record are still to be sent. */
    private boolean pending;
    /** Bytes of a record that may be written at once. */
    private int shortRecord;

    public SocketSource(SocketSourceOptions options) {
        super(options);
    }

    @Override
    public void open(OperatorContext opened) throws IOException {
        shortRecord = ScratchPackets.shortRecord(options.records().schema(), opened.maxPacketBytes());
        super.open(opened);
    }

    @Override
    protected BadRecords badRecords() {
        return (why, record) -> {
            if (decodedRecords > knownRecords) {        // else it was told before the job went on
                context.badRecord(why, record);
            }
        };
    }

    /** What has arrived and is not taken yet, for tests. */
    long heldBytes() {
        return inflow.heldBytes();
    }

    @Override
    protected void settle() {
        rows.letGo();
    }

    @Override
    protected long read(long now) throws Exception {
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            Packet packet = pending ? rows.next() : null;
            if (packet != null) {
                budget -= packet.size();
                sendNext(packet);
                continue;
            }
            pending = false;
            sentRows = ALL;
            if (received == null) {
                received = take(none -> false);
                if (received == null) {
                    checkEndpoint();
                    return nothing();
                }
                begin();
            } else if (find()) {
                budget -= records.size() + 1;
                decodedRecords++;
                if (decodedRecords > knownRecords || decodedRecords == knownRecords && knownRows != ALL) {
                    decode();
                }
            } else {
                leave();
            }
        }
        return now;
    }

    /** It is read. Without a log, its rows are all that there is of it. */
    private void leave() {
        if (log == null && received.reply() != null) {
            received.reply().answer(Received.TAKEN, "");
        }
        done(received);
        received = null;
    }

    private void sendNext(Packet packet) {
        sentRows++;
        if (decodedRecords > knownRecords || sentRows > knownRows) {
            send(packet);
        }
    }

    private void begin() throws Exception {
        if (log != null && received.reply() != null) {
            Received.Reply reply = received.reply();
            whenDurable(failure -> reply.answer(failure == null ? Received.TAKEN : Received.LOST,
                    failure == null ? "" : failure.getMessage()));
        }
        if (received.problem() == null) {
            records.begin(received, options.framing(), arrived());
            return;
        }
        Received broken = received;
        leave();
        context.badRecord(broken.peer().name() + ": " + broken.problem(),
                new String(broken.bytes(), 0, broken.length(), StandardCharsets.UTF_8));
    }

    /** Finds the next record. A peer whose header does not fit is sent away: its records could not be understood. */
    private boolean find() throws Exception {
        try {
            return records.next();
        } catch (IOException header) {
            records.refuse();
            received.peer().close();
            context.badRecord(header.getMessage(), records.text(SHOWN));
            return false;
        }
    }

    private void decode() throws Exception {
        if (records.size() > options.bounds().recordBytes()) {
            context.badRecord(records.where() + ": the record is longer than max_record_bytes="
                    + options.bounds().recordBytes(), records.text(SHOWN));
            return;
        }
        if (decodedRecords > knownRecords && records.size() <= shortRecord
                && decoder.decodeInto(records, out.writer(), watermarks)) {
            wrote = true;
            return;
        }
        rows.clear();
        decoder.decode(records, rows);
        String tooLong = rows.tooLong(context.maxPacketBytes());
        if (tooLong != null) {
            context.badRecord(records.where() + ": " + tooLong, records.text(SHOWN));
            rows.clear();
        } else if (rows.next() != null) {
            rows.unread();
            pending = true;
            sentRows = 0;
        }
    }
}
