package io.despina.metrics;

/** What one operator instance counts. Written by its task's thread, read by any. */
public final class StageCounters {
    /** Of {@link #firstPacketMillis}. */
    public static final long NONE = -1;

    public final Counter packetsIn = new Counter();
    public final Counter packetsOut = new Counter();
    public final Counter errors = new Counter();
    public final Counter late = new Counter();
    public final Counter dropped = new Counter();
    public final Counter runs = new Counter();
    public final Counter stateBytes = new Counter();
    /** Set when the task ends before its input does, as are the open windows. */
    public final Counter held = new Counter();
    public final Counter openWindows = new Counter();
    /** Microseconds since 1970; {@link Long#MIN_VALUE} before there is one. */
    public final Counter watermark = new Counter();
    /** Of a source, see {@link Behind}. Each may have a writer of its own. */
    public final Counter behindRecords = new Counter();
    public final Counter behindBytes = new Counter();
    /** The last of {@link #errors}. */
    public final LastBadRecords bad = new LastBadRecords();
    /** What the user's function counts. */
    public final NamedCounters own = new NamedCounters();
    /** By packets' own due times; nothing unless the operator is a sink that knows them. */
    public final Latency packetLatency = new Latency();
    /** Set once (volatile) by the task's thread if the operator is a sink, read by any. */
    private volatile Latency latency;
    /** Set once (volatile) by the task's thread, read by any. */
    private volatile String skipped;
    /** Set once (volatile) by the task's thread if the operator is a sink, read by any. */
    private volatile long firstPacketMillis = NONE;
    /** Set once (volatile) by whoever opens the operator, read by any. */
    private volatile long openedMillis = NONE;
    /** What attempts before this one had counted. Written (volatile) once when the operator is restored, read by any. */
    private volatile OperatorSnapshot earlier = OperatorSnapshot.ZERO;

    public StageCounters() {
        watermark.set(Long.MIN_VALUE);
        behindRecords.set(Behind.UNKNOWN);
        behindBytes.set(Behind.UNKNOWN);
    }

    public Latency ofSink() {
        latency = new Latency();
        return latency;
    }

    /** Null unless the operator is a sink and its task has run. */
    public Latency latency() {
        return latency;
    }

    /** The first packet has arrived at the sink. @param millis wall clock */
    public void firstPacket(long millis) {
        firstPacketMillis = millis;
    }

    /** Wall clock when the first packet arrived; {@link #NONE} before, and if the operator is not a sink. */
    public long firstPacketMillis() {
        return firstPacketMillis;
    }

    /** The operator is open, and restored where it goes on. @param millis wall clock */
    public void opened(long millis) {
        openedMillis = millis;
    }

    /** Wall clock when the operator was open; {@link #NONE} before. */
    public long openedMillis() {
        return openedMillis;
    }

    public boolean hasSkipped() {
        return skipped != null;
    }

    /** @param record that was left out, and why */
    public void skipped(String record) {
        skipped = record;
    }

    /** The operator is restored: what it had counted counts too. */
    public void restore(OperatorSnapshot counted) {
        earlier = counted;
    }

    /** Since the job's first attempt. */
    public OperatorSnapshot snapshot() {
        return new OperatorSnapshot(packetsIn.get(), packetsOut.get(), errors.get(), late.get(), dropped.get(), runs.get(),
                new OperatorSnapshot.State(stateBytes.get(), held.get(), openWindows.get(), watermark.get()),
                new OperatorSnapshot.Words(skipped, own.snapshot())).plus(earlier);
    }
}
