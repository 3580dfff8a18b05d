package io.despina.descriptor;

import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind.Section;
import io.despina.packet.Bytes;
import java.util.ArrayList;
import java.util.List;

/** Declarations that several parts of the format share: settings, links, and what all operators have. */
public final class CommonFields {
    /** The pattern of names of parameters and states. */
    public static final String NAME = "[A-Za-z_][A-Za-z0-9_]*";
    private static final int MAX_INSTANCES = 4096;
    private static final int MAX_BYTES = 1 << 30;

    public static final FieldKind TEXT = new FieldKind.Text();
    static final FieldKind DOC = new FieldKind.Doc();
    public static final FieldKind FLAG = new FieldKind.Flag();
    public static final FieldKind EXPRESSION = new FieldKind.Expression();
    public static final FieldKind EXPRESSIONS = new FieldKind.ListOf(EXPRESSION, 1);
    static final FieldKind TEXTS = new FieldKind.ListOf(TEXT, 1);
    public static final FieldKind OPTIONS = new FieldKind.MapOf(null, "option", TEXT);
    static final FieldSpec DOC_FIELD = optional("doc", DOC, "none", "For people. Drawings show it.");

    public static final FieldKind MILLIS = new FieldKind.Whole(0, Long.MAX_VALUE / 1_000_000);
    public static final FieldKind POSITIVE_MILLIS = new FieldKind.Whole(1, Long.MAX_VALUE / 1_000_000);

    static final FieldKind BUFFER = new FieldKind.Fields(Section.of("buffer",
            "When the packets of a link leave: packets travel together, "
            + "in segments.",
            or("capacity_bytes", new FieldKind.Whole(256, MAX_BYTES), "65536", "A segment leaves when it holds so many bytes."),
            or("flush_after_ms", MILLIS, "1", "It leaves when its first packet is so old, too."),
            or("mode", words("adaptive", "as soon as the receiver has nothing else to do", "timed", "never, as in NEPTUNE"),
                    "\"adaptive\"",
                    "When a segment may leave before that.")));

    static final FieldKind COMPRESSION = new FieldKind.Variant("compression", List.of(
            Section.of("adaptive", "LZ4, while packets get through the network faster that way."),
            Section.of("entropy", "LZ4, where samples have a low entropy, as in NEPTUNE.",
                    or("below_bits", new FieldKind.Real(0, true), "6.0", "Bits per byte below which it compresses.")),
            Section.of("always", "LZ4."),
            Section.of("never", "No compression.")));

    static final FieldKind PARTITION = new FieldKind.Variant("partition", List.of(
            Section.of("forward", "Each instance to the one of the same number. Both operators need the same parallelism."),
            Section.of("round_robin", "To each instance in turn, a segment at a time."),
            Section.of("hash", "Packets with the same key to the same instance.",
                    required("by", EXPRESSIONS, "The key: expressions over the columns of the sender.")),
            Section.of("least_loaded", "To the instance with the shortest queue, a segment at a time."),
            Section.of("broadcast", "Every packet to every instance."),
            Section.of("custom", "By a class of yours; see docs/java-operators.md. The resources of the "
                    + "sender need "
                    + "its jar.",
                    required("class", TEXT, "Its full name. It implements `io.despina.api.PartitionFunction`."))));

    private static final FieldKind BALANCE = new FieldKind.Variant("balance", List.of(
            Section.of("never", "They stay where they are, but for `despina move`."),
            Section.of("load", "They move to instances that have less to do, if that is worth it and was so twice in a row.",
                    or("every_ms", POSITIVE_MILLIS, "10000", "How often it is looked at."),
                    or("worth", new FieldKind.Real(0, true), "0.1", "How much of a thread's time a move must take from the "
                            + "busiest instance."))));

    static final FieldKind SETTINGS = new FieldKind.Fields(Section.of("settings", "What holds for the whole graph.",
            or("time_zone", TEXT, "\"UTC\"", "The time zone of expressions, and of times in text that name none."),
            or("ansi", FLAG, "true", "Spark's ANSI mode: an overflow or a bad cast is an error, not NULL."),
            or("buckets", new FieldKind.Whole(1, 32768), "256", "Into how many buckets the keys of state are sorted."),
            or("balance", BALANCE, "{\"type\": \"never\"}", "Whether buckets of keys move by themselves to other instances of "
                    + "their operator; see docs/control.md."),
            or("buffer", BUFFER, "{}", "For links that have none of their own."),
            or("compression", COMPRESSION, "{\"type\": \"adaptive\"}", "For links that have none of their own."),
            or("queue_target_ms", POSITIVE_MILLIS, "100", "How long a packet may wait in a queue. The engine keeps queues "
                    + "as short as that needs."),
            or("guarantee", words("none", "any", "at_least_once", "no row is lost", "exactly_once", "each row comes out once"),
                    "\"none\"", "What must hold when the job has a state folder, a part of it is lost, and it goes on: a graph "
                    + "with an operator that promises less is refused. docs/recovery.md says what each operator promises."),
            optional("max_packet_bytes", new FieldKind.Whole(64, Bytes.MAX_LENGTH),
                    "16777216; an eighth of the smallest resource's "
                    + "memory if that is less, and less where many operators follow each other in it",
                    "A longer packet is an error; a record of a server or a socket that would be one is a bad record."),
            or("batch_scheduling", FLAG, "true", "false: a task is woken per packet (for experiments)."),
            or("object_reuse", FLAG, "true", "false: an object per packet (for experiments).")));

    static final FieldKind ON_ERROR = new FieldKind.Variant("on_error", List.of(
            Section.of("fail", "The job fails."),
            Section.of("skip", "The record is dropped and counted. On the engine the closing lines show the first one."),
            Section.of("dead_letter", "The record leaves by port `errors` and is counted. Its `reason` may be worded otherwise "
                    + "on "
                    + "Spark.")));

    static final FieldKind SCHEDULE = new FieldKind.Variant("schedule", List.of(
            Section.of("data", "Whenever there is input."),
            Section.of("periodic", "At fixed times, and at the end.",
                    required("every_ms", POSITIVE_MILLIS, "The time between two runs.")),
            Section.of("count", "When so many packets wait, when the queue is full, and at the end.",
                    required("packets", new FieldKind.Whole(1, Long.MAX_VALUE), "How many.")),
            Section.of("any", "As soon as one of several schedules says so.",
                    required("of", new FieldKind.ListOf(new FieldKind.Later("schedule", CommonFields::schedule), 1),
                            "The schedules."))));

    /** Rules of warnings that a graph may accept. */
    static final FieldKind ACCEPT = new FieldKind.ListOf(words(Rule.LATE.code(), "late packets are dropped and counted",
            Rule.ORDER.code(), "event time alone does not settle the order",
            Rule.CHANCE.code(), "other values in each run",
            Rule.ELEMENT_TIME.code(), "elements have the time of their packet",
            Rule.SILENT.code(), "what waits for a silent source stays",
            Rule.SLOW_FORM.code(), "slow alone",
            Rule.UNBOUNDED.code(), "what is kept grows with the stream"), 1);

    private static final FieldKind ADVANCE = new FieldKind.Fields(Section.of("advance",
            "How the watermark of a silent source goes on.",
            required("after_ms", POSITIVE_MILLIS, "How long nothing has come before it does: longer than the pauses of a source "
                    + "that works."),
            or("by", words("clock", "as far as the wall clock goes beyond `after_ms`"), "\"clock\"", "What moves it.")));

    static final FieldKind EVENT_TIME = new FieldKind.Fields(Section.of("event_time",
            "Which column says when something happened; see docs/reference/time.md.",
            required("column", TEXT, "A TIMESTAMP column."),
            or("max_delay_ms", MILLIS, "0", "How far a packet may be behind the greatest event time before it is late."),
            optional("order_by", TEXTS, "none", "Which columns decide the order of packets with the same event time."),
            optional("idle_after_ms", POSITIVE_MILLIS, "never", "A source that has been silent for so long holds up no operator "
                    + "behind it. With `per`: a device that has been silent for so long ends what it has begun."),
            optional("advance", ADVANCE, "its packets alone move its watermark", "For a source that may be silent with nobody "
                    + "beside it to wait for: its watermark goes on with the wall clock, so windows close without a next packet; "
                    + "see silent sources in docs/reference/time.md. Not with `per`."),
            optional("per", TEXTS, "one clock for all", "Columns whose values have a clock each, such as `[\"device\"]`; see "
                    + "time per key in docs/reference/time.md.")));

    static final FieldKind LINK = new FieldKind.Fields(Section.of("link", "Packets from one port to another.",
            DOC_FIELD,
            required("from", TEXT, "`operator` or `operator.port`."),
            required("to", TEXT, "`operator` or `operator.port`."),
            optional("partition", PARTITION, "`forward` where parallelism is equal, `hash` where the receiver has keys, else "
                    + "`round_robin`", "Which instance a packet goes to. Between operators of one instance each it is always "
                    + "`forward`."),
            optional("buffer", BUFFER, "the graph's", "When packets leave."),
            optional("compression", COMPRESSION, "the graph's", "Whether to compress between processes."),
            or("fuse", FLAG, "true", "false: the two operators share no task or process. Written true, also a way of a "
                    + "`route` or `filter` does.")));

    /** For whoever wants rows changed by a sink that only appends. */
    public static final String WHAT_UPSERTS = "`collect_sink` and `jdbc_sink` can; `latest` before the sink keeps the "
            + "newest row of each key";

    private CommonFields() {
    }

    private static FieldKind schedule() {
        return SCHEDULE;
    }

    static FieldKind instances() {
        return new FieldKind.Whole(1, MAX_INSTANCES);
    }

    /** @param wordsAndDocs word, doc, word, doc … */
    public static FieldKind words(String... wordsAndDocs) {
        List<FieldKind.Word> words = new ArrayList<>();
        for (int k = 0; k < wordsAndDocs.length; k += 2) {
            words.add(new FieldKind.Word(wordsAndDocs[k], wordsAndDocs[k + 1]));
        }
        return new FieldKind.Words(words);
    }
}
