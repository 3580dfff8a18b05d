package io.despina.operator.source.inflow;

import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.despina.log.KeptPlaces;
import io.despina.log.Log;
import io.despina.log.LogOptions;
import io.despina.log.LogOwner;
import io.despina.log.LogPlace;
import io.despina.log.LogRange;
import io.despina.log.LogReader;
import io.despina.operator.CompleteMark;
import io.despina.operator.OperatorContext;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What has come for a source that cannot ask for it again, as it came, in a log: when it is read again, it gives the same rows
 * and the same bad records. A job that goes on reads from the log first what no complete epoch has, then what arrives. Each piece
 * says all that is needed to read it: its peer, how many records came from that before, and its header.
 */
final class ReceivedLog implements LogOwner, Closeable {
    private static final byte VERSION = 1;
    private static final LogRange NOTHING = new LogRange(0, 0);

    private final OperatorContext context;
    private final Inflow<Received> inflow;
    private final Log log;
    private final ByteArrayOutputStream head = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(head);
    private final KeptPlaces places = new KeptPlaces();
    private final CompleteMark mark;
    /** What earlier attempts left to be read; null when it is read. */
    private LogReader left;
    /** What has come, and does not fit into the log yet; or null. */
    private Received waiting;
    /** There is no room for it, so nothing more is to come in. */
    private boolean holding;
    /** The piece that was taken last came from a peer now. */
    private boolean arrived;
    /** When it came, in microseconds since 1970. */
    private long arrivedMicros;
    /** The number of the piece that is read, or will be next. */
    private long at;

    private ReceivedLog(OperatorContext context, Inflow<Received> inflow, long mostBytes, LogRange range) throws IOException {
        this.context = context;
        this.inflow = inflow;
        mark = new CompleteMark(context);
        boolean anew = mark.isOfJobBefore();
        String name = "`" + context.operatorId() + "`";
        log = Log.open(LogPlace.of(context.keptFolder(), context.attempt(), name), LogOptions.of(mostBytes),
                anew ? NOTHING : range, this);
        mark.clear();
        if (context.isRestored() && log.first() > range.from()) {
            log.close();
            throw new IOException("what `" + context.operatorId() + "` has received from piece " + range.from() + " to "
                    + log.first() + " is cut from its log, and the epoch from which the job goes on needs it");
        }
        at = Math.max(anew ? 0 : range.from(), log.first());
        left = log.next() > at ? log.reader(at) : null;
    }

    /** Blocks for the disk. @param range of the pieces that are not in the epoch from which the job goes on */
    static ReceivedLog open(OperatorContext context, Inflow<Received> inflow, long mostBytes, LogRange range) throws IOException {
        return new ReceivedLog(context, inflow, mostBytes, range);
    }

    /**
     * The next piece, which is in the log by then.
     *
     * @param passed asked about each that has come: whether it is not to be taken
     * @return null if there is none, or no room for it: then the source is woken. Also after a stop: what is in no log may only
     *         be answered when it is, and epochs that are still complete give room
     */
    Received take(Predicate<Received> passed) throws IOException {
        if (left != null) {
            if (left.next()) {
                at = left.number();
                arrived = false;
                return decoded();
            }
            left.close();
            left = null;
            at = log.next();
        }
        while (waiting == null) {
            waiting = inflow.poll();
            if (waiting == null) {
                return null;
            }
            if (PeerProgress.of(waiting.peer()).refused || passed.test(waiting)) {
                inflow.done(waiting);
                waiting = null;
            }
        }
        if (!append(waiting)) {
            hold(true);
            return null;
        }
        hold(false);
        Received next = waiting;
        waiting = null;
        arrived = true;
        return next;
    }

    private void hold(boolean on) {
        if (holding != on) {
            holding = on;
            inflow.hold(on);
        }
    }

    private boolean append(Received piece) throws IOException {
        PeerProgress progress = PeerProgress.of(piece.peer());
        head.reset();
        out.writeByte(VERSION);
        arrivedMicros = context.wallMicros();
        out.writeLong(arrivedMicros);
        out.writeUTF(piece.peer().name());
        out.writeLong(progress.number);
        out.writeInt(progress.header == null ? -1 : progress.header.length);
        out.write(progress.header == null ? new byte[0] : progress.header);
        writeText(piece.key());
        writeText(piece.problem());
        return log.append(ByteBuffer.wrap(head.toByteArray()), ByteBuffer.wrap(piece.bytes(), 0, piece.length()), 1) != Log.FULL;
    }

    private void writeText(String text) throws IOException {
        out.writeBoolean(text != null);
        if (text != null) {
            out.writeUTF(text);
        }
    }

    private Received decoded() throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(left.bytes(), left.from(), left.to() - left.from()));
        if (in.readByte() != VERSION) {
            throw new IOException("the log of `" + context.operatorId() + "` is of another version of the engine");
        }
        arrivedMicros = in.readLong();
        Peer peer = new Peer(in.readUTF(), () -> { });
        PeerProgress progress = PeerProgress.of(peer);
        progress.number = in.readLong();
        int header = in.readInt();
        progress.header = header < 0 ? null : in.readNBytes(header);
        String key = in.readBoolean() ? in.readUTF() : null;
        String problem = in.readBoolean() ? in.readUTF() : null;
        byte[] bytes = in.readAllBytes();
        return new Received(peer, bytes, bytes.length, problem, null, key);
    }

    /** The piece that was taken last has been read to its end. */
    void done(Received piece) {
        if (arrived) {
            inflow.done(piece);
        }
        at++;
    }

    /** The number of the piece that is read, or will be next. */
    long at() {
        return at;
    }

    /** When the piece that was taken last came, in microseconds since 1970: the same whenever it is read. */
    long arrivedMicros() {
        return arrivedMicros;
    }

    /** Whether nothing that was left or has come waits. */
    boolean isEmpty() {
        return left == null && waiting == null;
    }

    /** Tells when the piece that was taken last is durable, with null, or why it cannot be. */
    void whenDurable(Consumer<IOException> then) {
        if (arrived) {
            log.whenDurable(at + 1, then);
        } else {
            then.accept(null);
        }
    }

    /** The same of all pieces so far. */
    void whenAllDurable(Consumer<IOException> then) {
        log.whenDurable(log.next(), then);
    }

    void barrier(long epoch) {
        places.barrier(epoch, at);
        log.turn();
    }

    /** What is in that epoch is not needed any more. */
    void acknowledge(long epoch) {
        log.cut(places.complete(epoch));
        mark.set();
    }

    @Override
    public void room() {
        context.wake();
    }

    @Override
    public void warn(String words) {
        context.warn(words);
    }

    @Override
    public void close() throws IOException {
        if (left != null) {
            left.close();
        }
        log.close();
    }
}
