package io.despina.metrics;

/** The registry of everything that is counted: its name in reports and one line about it. */
public enum CounterDoc {
    PACKETS_IN("operator", "packets_in", "packets that the operator took from its inputs"),
    PACKETS_OUT("operator", "packets_out", "packets that the operator wrote to its linked ports"),
    ERRORS("operator", "errors", "records that could not be processed and were skipped or dead-lettered"),
    LATE("operator", "late", "packets that came after their window or time had been closed"),
    DROPPED("operator", "dropped", "packets written to ports that are not linked"),
    RUNS("operator", "runs", "times the operator's task was run"),
    STATE_BYTES("operator", "state_bytes", "bytes that the operator's state takes now"),
    PACKETS("link", "packets", "packets sent along the link"),
    BYTES("link", "bytes", "bytes of those packets"),
    BYTES_ON_WIRE("link", "bytes_on_wire", "bytes given to sockets for them, frame headers included"),
    SEGMENTS("link", "segments", "segments of packets sent"),
    FLUSHES_FULL("link", "flushes_full", "segments that left because they were full"),
    FLUSHES_TIMER("link", "flushes_timer", "segments that left because their first packet was flush_after_ms old"),
    FLUSHES_EARLY("link", "flushes_early", "segments that left because the far side had nothing left to do"),
    COMPRESSED_SEGMENTS("link", "compressed_segments", "segments that went compressed"),
    PAUSED_MS("link", "paused_ms", "milliseconds that the link's senders waited for room"),
    LATENCY_MS("sink", "latency_ms", "age of each packet's segment from the due time of its oldest packet to the sink"),
    CPU_S("resource", "cpu_s", "processor seconds of the process, user and system"),
    GC_MS("resource", "gc_ms", "milliseconds in garbage collections"),
    ALLOCATED_BYTES("resource", "allocated_bytes", "bytes that its threads allocated on the heap"),
    MAX_MEMORY_BYTES("resource", "max_memory_bytes", "the most resident memory the process ever had"),
    CONTEXT_SWITCHES("resource", "context_switches", "switches of its threads, voluntary and not");

    private final String subject;
    private final String key;
    private final String doc;

    CounterDoc(String subject, String key, String doc) {
        this.subject = subject;
        this.key = key;
        this.doc = doc;
    }

    /** What it is counted for: operator, link, sink or resource. */
    public String subject() {
        return subject;
    }

    /** The field in reports. */
    public String key() {
        return key;
    }

    public String doc() {
        return doc;
    }
}
