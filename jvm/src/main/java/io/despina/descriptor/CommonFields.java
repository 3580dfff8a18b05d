package io.despina.descriptor;

import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.packet.Bytes;
import java.util.ArrayList;
import java.util.List;

/** Declarations that several parts of the format share: settings, links, and what all operators have. */
final class CommonFields {
    /** What names of parameters and of states look like. */
    static final String NAME = "[A-Za-z_][A-Za-z0-9_]*";
    private static final int MAX_INSTANCES = 4096;
    private static final int MAX_BYTES = 1 << 30;

    static final Kind TEXT = new Kind.Text();
    static final Kind DOC = new Kind.Doc();
    static final Kind FLAG = new Kind.Flag();
    static final Kind EXPRESSION = new Kind.Expression();
    static final Kind EXPRESSIONS = new Kind.ListOf(EXPRESSION, 1);
    static final Kind TEXTS = new Kind.ListOf(TEXT, 1);
    static final Kind OPTIONS = new Kind.MapOf(null, "option", TEXT);
    static final FieldSpec DOC_FIELD = optional("doc", DOC, "none", "For people: shown wherever the graph is drawn.");

    static final Kind MILLIS = new Kind.Whole(0, Long.MAX_VALUE / 1_000_000);
    static final Kind POSITIVE_MILLIS = new Kind.Whole(1, Long.MAX_VALUE / 1_000_000);

    static final Kind BUFFER = new Kind.Fields(Section.of("buffer", "When the packets of a link leave.",
            or("capacity_bytes", new Kind.Whole(256, MAX_BYTES), "65536", "A segment leaves when it holds so many bytes."),
            or("flush_after_ms", MILLIS, "1", "And when its first packet is so old."),
            or("mode", words("adaptive", "a part-filled segment leaves at once while the far side has nothing left to do",
                    "timed", "full or timed out, never earlier (NEPTUNE's)"), "\"adaptive\"",
                    "Whether part-filled segments may leave early.")));

    static final Kind COMPRESSION = new Kind.Variant("compression", List.of(
            Section.of("adaptive", "LZ4 while the socket holds the channel up and packets get through faster that way."),
            Section.of("entropy", "LZ4 where the sampled entropy is low (NEPTUNE's rule).",
                    or("below_bits", new Kind.Real(0, true), "6.0", "Entropy in bits per byte under which to compress.")),
            Section.of("always", "LZ4 always."),
            Section.of("never", "No compression.")));

    static final Kind PARTITION = new Kind.Variant("partition", List.of(
            Section.of("forward", "Instance i to instance i; parallelism must be equal."),
            Section.of("round_robin", "Segment by segment to the next instance."),
            Section.of("hash", "Equal keys to the same instance.",
                    required("by", EXPRESSIONS, "The key: expressions over the sender's columns.")),
            Section.of("least_loaded", "Segment by segment to the instance with the least queued."),
            Section.of("broadcast", "Every packet to every instance."),
            Section.of("custom", "The user's own class; the deployment must allow it, and it must be on the class path: "
                    + "`DESPINA_CLASS_PATH` names its jar or folder.",
                    required("class", TEXT, "Its full name. It implements "
                            + "`ToIntFunction<Packet>` (a hash per packet) and has a constructor without parameters."))));

    static final Kind SETTINGS = new Kind.Fields(Section.of("settings", "What holds for the whole graph.",
            or("time_zone", TEXT, "\"UTC\"", "The time zone of expressions and of text without one."),
            or("ansi", FLAG, "true", "Spark's ANSI mode: an overflow or a bad cast is an error, not NULL."),
            or("buckets", new Kind.Whole(1, 32768), "256", "Key buckets of state; fixed for a graph's life."),
            or("buffer", BUFFER, "{}", "Of the links that do not say otherwise."),
            or("compression", COMPRESSION, "{\"type\": \"adaptive\"}", "Of the links that do not say otherwise."),
            or("queue_target_ms", POSITIVE_MILLIS, "100", "Queued data is to be worked off within this."),
            optional("max_packet_bytes", new Kind.Whole(64, Bytes.MAX_LENGTH), "16777216; an eighth of the smallest resource's "
                    + "memory if that is less, and less where many operators follow each other in it",
                    "A longer packet is an error."),
            or("batch_scheduling", FLAG, "true", "false: a task is woken per packet (for experiments)."),
            or("object_reuse", FLAG, "true", "false: an object per packet (for experiments).")));

    static final Kind ON_ERROR = new Kind.Variant("on_error", List.of(
            Section.of("fail", "The job fails."),
            Section.of("skip", "The record is counted and dropped."),
            Section.of("dead_letter", "The record is counted and leaves by port `errors`, as `record`, with the `reason`. How a "
                    + "reason is worded is not part of what is equal on the engine and on Spark.")));

    static final Kind SCHEDULE = new Kind.Variant("schedule", List.of(
            Section.of("data", "Whenever there is input."),
            Section.of("periodic", "At fixed times; also at the end.",
                    required("every_ms", POSITIVE_MILLIS, "Milliseconds between two runs.")),
            Section.of("count", "When so many packets wait; also when the inbox is at its high watermark, and at the end.",
                    required("packets", new Kind.Whole(1, Long.MAX_VALUE), "How many.")),
            Section.of("any", "As soon as one of several schedules would run it.",
                    required("of", new Kind.ListOf(new Kind.Later("schedule", CommonFields::schedule), 1), "The schedules."))));

    static final Kind EVENT_TIME = new Kind.Fields(Section.of("event_time",
            "Which column is the stream's event time. Event order is (event time, `order_by`, arrival).",
            required("column", TEXT, "A TIMESTAMP column."),
            or("max_delay_ms", MILLIS, "0", "How far behind the greatest event time a packet may be without being late."),
            optional("order_by", TEXTS, "none", "Columns that break ties."),
            optional("idle_after_ms", POSITIVE_MILLIS, "never", "A source silent for so long holds nobody up.")));

    static final Kind LINK = new Kind.Fields(Section.of("link", "Packets from one port to another.",
            DOC_FIELD,
            required("from", TEXT, "`operator` or `operator.port`."),
            required("to", TEXT, "`operator` or `operator.port`."),
            optional("partition", PARTITION, "forward where parallelism is equal, hash where the receiver has keys, else "
                    + "round_robin", "Which instance a packet goes to. From one task to one task it is always forward."),
            optional("buffer", BUFFER, "the graph's", "When packets leave."),
            optional("compression", COMPRESSION, "the graph's", "Whether bytes on the network are compressed."),
            or("fuse", FLAG, "true", "false: the two operators run as tasks of their own.")));

    private CommonFields() {
    }

    private static Kind schedule() {
        return SCHEDULE;
    }

    static Kind instances() {
        return new Kind.Whole(1, MAX_INSTANCES);
    }

    /** @param wordsAndDocs word, doc, word, doc … */
    static Kind words(String... wordsAndDocs) {
        List<Kind.Word> words = new ArrayList<>();
        for (int k = 0; k < wordsAndDocs.length; k += 2) {
            words.add(new Kind.Word(wordsAndDocs[k], wordsAndDocs[k + 1]));
        }
        return new Kind.Words(words);
    }
}
