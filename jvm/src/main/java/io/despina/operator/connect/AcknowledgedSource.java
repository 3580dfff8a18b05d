package io.despina.operator.connect;

import io.despina.connect.AcknowledgingReader;
import io.despina.connect.Delivery;
import io.despina.connect.DeliveryHost;
import io.despina.connect.RecordContent;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.despina.operator.OperatorContext;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.operator.source.inflow.LoggedSource;
import io.despina.operator.source.inflow.RecentKeys;
import io.despina.packet.Packet;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a server that forgets a record once it is acknowledged. A record is acknowledged when it is in the log, and in a job that
 * keeps no state when its rows are in the graph: never held for an epoch. One that comes again although it was taken is known by
 * its key and digest, and acknowledged again.
 */
public final class AcknowledgedSource extends LoggedSource {
    private static final String BETWEEN = " ";

    private final AcknowledgedSourceOptions options;
    private final RecentKeys recent;
    private RecordRows records;
    private AcknowledgingReader reader;
    /** What is read now, or null. */
    private Received received;
    /** Whether rows of it may still be to be sent. */
    private boolean pending;
    /** Whether its schema is asked for. */
    private boolean awaits;
    /** Whether the reader has been told that what an earlier process had taken is read. */
    private boolean goesOn;
    /** Written by the reader's threads. */
    private volatile Exception failure;

    public AcknowledgedSource(AcknowledgedSourceOptions options) {
        this.options = options;
        recent = new RecentKeys(options.bounds().keys());
    }

    @Override
    public void open(OperatorContext opened) throws Exception {
        AcknowledgedSourceOptions.Bounds bounds = options.bounds();
        begin(opened, options.metadata().schema(), options.eventTime(), bounds.bufferBytes());
        records = new RecordRows(new RecordRows.Options(options.records(), options.metadata(), options.eventTime(),
                options.parsers(), bounds.recordBytes(), opened.maxPacketBytes()), rows, badRecords());
        if (options.from().registry() != null) {
            records.readBy(options.from().registry().asking(context));
        }
        beginLog(bounds.bufferBytes(), bounds.logBytes());
        context.stateBytes(waitingBytes() + RecentKeys.bytes(bounds.keys()));
        reader = options.from().connector().load().reader(options.from().settings(), new Host(KeptName.of(context)));
        reader.open();
    }

    @Override
    protected BadRecords badRecords() {
        return (why, record) -> {
            if (decodedRecords > knownRecords) {
                context.badRecord(why, record);
            }
        };
    }

    @Override
    protected long read(long now) throws Exception {
        if (failure != null) {
            throw failure;
        }
        for (int budget = BATCH_BYTES; budget > 0 && context.hasRoom();) {
            Packet packet = pending ? rows.next() : null;
            if (packet != null) {
                budget -= packet.size();
                sendNext(packet);
                continue;
            }
            if (!awaits) {
                leave();
                boolean last = over;        // what was given before is in the queue
                received = take(this::isRepeated);
                if (received == null) {
                    goOn();
                    return last ? ended() : nothing();
                }
                budget -= received.length() + 1;
                acknowledge();
            }
            if (!decode()) {
                return waiting();
            }
        }
        return now;
    }

    /** Nothing is left to be read: what comes now is new. */
    private void goOn() {
        if (!goesOn) {
            goesOn = true;
            reader.goOn(recent.all());
        }
    }

    private void sendNext(Packet packet) {
        sentRows++;
        if (decodedRecords > knownRecords || sentRows > knownRows) {
            send(packet);
        }
    }

    /** It is read. Without a log, its rows are all that there is of it. */
    private void leave() {
        pending = false;
        if (received == null) {
            return;
        }
        if (log == null && received.reply() != null) {
            received.reply().answer(Received.TAKEN, "");
        }
        done(received);
        received = null;
    }

    private void acknowledge() {
        if (log != null && received.reply() != null) {
            whenDurable(answer(received.reply()));
        }
        if (received.key() != null) {
            int between = received.key().indexOf(BETWEEN);
            recent.put(received.key().substring(0, between), received.key().substring(between + 1));
        }
    }

    /** @return whether its schema is known */
    private boolean decode() throws Exception {
        RecordContent content = reader.content(received.bytes(), received.length());
        awaits = !records.isReady(content);
        if (awaits) {
            return false;
        }
        decodedRecords++;
        records.arrived(arrived());
        RecordRows.Taken taken = records.take(content, decodedRecords > knownRecords ? out.writer() : null, watermarks);
        wrote |= taken == RecordRows.Taken.WRITTEN;
        pending = taken == RecordRows.Taken.ROWS;
        if (!pending) {
            leave();
        }
        return true;
    }

    /** What could not be kept is not acknowledged: the job fails, and the server gives it again. */
    private static Consumer<IOException> answer(Received.Reply reply) {
        return failed -> reply.answer(failed == null ? Received.TAKEN : Received.LOST, "");
    }

    /** Acknowledges a record again that it knows. */
    private boolean isRepeated(Received again) {
        if (!(again.reply() instanceof Waiting waiting) || !waiting.of.isAgain() || again.key() == null
                || !waiting.of.digest().equals(recent.get(waiting.of.key()))) {
            return false;
        }
        if (log == null) {
            waiting.answer(Received.TAKEN, "");
        } else {
            whenAllDurable(answer(waiting));
        }
        return true;
    }

    @Override
    protected void settle() {
        rows.letGo();
    }

    @Override
    public boolean stop() {
        stopped = true;
        reader.stop();
        return true;
    }

    @Override
    public List<State> states() {
        List<State> states = super.states();
        if (context.keptFolder() != null) {
            states.add(recent);
        }
        return states;
    }

    /** First what waits for the disk is written, so that it is still acknowledged. */
    @Override
    public void close() throws IOException {
        super.close();
        if (records != null) {
            records.close();
        }
        if (reader != null) {
            reader.close();
        }
    }

    /** A record that is not acknowledged yet. */
    private record Waiting(Delivery of) implements Received.Reply {
        @Override
        public void answer(int status, String text) {
            if (status == Received.TAKEN) {
                of.acknowledge().run();
            }
        }
    }

    /** What the reader sees of this source. */
    private final class Host extends InflowHost implements DeliveryHost {
        private final String name;
        private final Peer peer = new Peer("", () -> { });

        Host(String name) {
            super(context, inflow);
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean isKept() {
            return context.keptFolder() != null;
        }

        @Override
        public void ended() {
            over = true;
            context.wake();
        }

        @Override
        public void put(Delivery delivery) {
            String key = delivery.key() == null ? null : delivery.key() + BETWEEN + delivery.digest();
            inflow.put(Received.request(peer, delivery.bytes(), delivery.bytes().length, new Waiting(delivery), key));
        }

        @Override
        protected void fail(Exception why) {
            failure = why;
        }
    }
}
