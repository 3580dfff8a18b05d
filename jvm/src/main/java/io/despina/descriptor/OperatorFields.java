package io.despina.descriptor;

import static io.despina.descriptor.CommonFields.EXPRESSION;
import static io.despina.descriptor.CommonFields.EXPRESSIONS;
import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.MILLIS;
import static io.despina.descriptor.CommonFields.OPTIONS;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import java.util.ArrayList;
import java.util.List;

/** The declaration of every operator type's fields; what all types share is added to each. */
final class OperatorFields {
    private static final Kind RATE = new Kind.Real(0, true);
    private static final Kind RATE_OR_ZERO = new Kind.Real(0, false);
    private static final int MIN_RELAY_PACKET = 17;
    private static final int MAX_RELAY_PACKET = 524_288;

    static final Kind ROWS = new Kind.Variant("rows", List.of(
            Section.of("select", "Rows of expressions.",
                    required("select", EXPRESSIONS, "`expr AS name` over the columns `id` (0, 1, 2 …) and `seed`.")),
            Section.of("packets", "Relay packets: columns `sequence BIGINT, due TIMESTAMP, payload BINARY`.",
                    required("packet_bytes", new Kind.Whole(MIN_RELAY_PACKET, MAX_RELAY_PACKET),
                            "Bytes of one packet; 16 of them are sequence and due time."),
                    or("content", words("random", "cut from a block of random bytes: does not compress",
                            "constant", "always the same bytes"), "\"random\"", "What the payload holds."))));

    static final Kind SHAPE = new Kind.Variant("shape", List.of(
            Section.of("constant", "Always `rate_per_s`."),
            Section.of("sine", "From low to high and back.",
                    required("period_ms", POSITIVE_MILLIS, "Milliseconds from one low to the next."),
                    required("low_per_s", RATE_OR_ZERO, "The lowest rate."),
                    required("high_per_s", RATE, "The highest rate.")),
            Section.of("step", "One rate after the other; the last one stays.",
                    required("steps", new Kind.ListOf(new Kind.Fields(Section.of("rate_step", "One rate for some time.",
                            required("for_ms", POSITIVE_MILLIS, "How long."),
                            required("rate_per_s", RATE_OR_ZERO, "The rate."))), 1), "The steps."))));

    static final Kind REPLAY = new Kind.Variant("replay", List.of(
            Section.of("as_fast_as_possible", "No waiting."),
            Section.of("event_time", "By the records' event times.",
                    or("speed", RATE, "1", "So many times as fast as they happened."))));

    static final Kind READ_FORMAT = words("csv", "separated values, Spark's rules", "json", "one JSON object per line",
            "text", "one column per line: `value STRING`");
    static final Kind WRITE_FORMAT = words("csv", "separated values, as Spark writes them", "json",
            "one JSON object per line", "text", "one STRING column, one line each");

    static final Kind WINDOW = new Kind.Variant("window", List.of(
            Section.of("tumbling", "[start, end) of fixed size, one after the other, by event time.",
                    required("size_ms", POSITIVE_MILLIS, "Length in milliseconds."),
                    or("offset_ms", MILLIS, "0", "Moves the borders, which else are multiples of the size since 1970-01-01T00:00Z.")),
            Section.of("sliding", "[start, end) of fixed size, a new one each slide, by event time.",
                    required("size_ms", POSITIVE_MILLIS, "Length in milliseconds."),
                    required("slide_ms", POSITIVE_MILLIS, "From one start to the next; at most the size."),
                    or("offset_ms", MILLIS, "0", "Moves the borders.")),
            Section.of("trailing", "One row per packet when the watermark passes it, over its group's packets in "
                    + "[t - size, t], both ends in, peers included. `select` may mix the packet's columns with aggregates.",
                    required("size_ms", MILLIS, "Length in milliseconds."))));

    static final Kind STATE = new Kind.MapOf(CommonFields.NAME, "state name", new Kind.Fields(Section.of("state",
            "One value that the fold keeps per group. All of a group's together are at most `max_packet_bytes` long.",
            required("initial", EXPRESSION, "Its value before the group's first packet; may use that packet's columns."),
            required("next", EXPRESSION, "Its value after a packet, of the same type; a bare state name is the value before."))));

    static final Kind AS_OF = new Kind.Fields(Section.of("as_of",
            "The greatest right packet in event order at or before the left one, not consumed.",
            optional("max_age_ms", MILLIS, "any age", "No match if the right packet is older than this."),
            or("strict", FLAG, "false", "true: only right packets with an earlier event time.")));

    static final Kind BETWEEN = new Kind.Fields(Section.of("between_ms", "Bounds of right time less left time, both in.",
            required("from", new Kind.Whole(Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000), "The least."),
            required("to", new Kind.Whole(Long.MIN_VALUE / 1000, Long.MAX_VALUE / 1000), "The greatest.")));

    static final Kind GROUP_BY = EXPRESSIONS;

    /** In the order of {@link OperatorType}. */
    static final List<Section> ALL = List.of(
            type(OperatorType.GENERATOR_SOURCE, "Makes packets: rows of expressions, or relay packets for measuring.",
                    required("rows", ROWS, "What it makes."),
                    or("seed", new Kind.Whole(Long.MIN_VALUE, Long.MAX_VALUE), "1", "Another seed, other random rows."),
                    optional("count", new Kind.Whole(0, Long.MAX_VALUE), "without end", "How many, all instances together."),
                    optional("rate_per_s", RATE, "flat out", "Packets per second, all instances together."),
                    or("shape", SHAPE, "{\"type\": \"constant\"}", "How the rate changes with time.")),
            type(OperatorType.FILE_SOURCE, "Reads files. Each instance reads its share of the files: with `event_time` merged by it, "
                    + "so that no file makes another one's packets late, else in path order. As many files are open at once as overlap "
                    + "in time (the process's limit on open files must allow that), and take 16 MB of an instance's memory, and 8 KB "
                    + "more for each beyond some 200.",
                    required("path", TEXT, "A file, a folder or a glob, or a `file:` URI of one (only there `%20` is a space); "
                            + ".gz is unpacked, other packed files (.bz2, .zst, .lz4, .snappy, .deflate, .xz, .zip) fail the job on "
                            + "the engine, as does a pipe, a device or a socket; in a folder or a glob those are passed over. "
                            + "`/dev/stdin`, `/dev/fd` and the like are refused: they would be the engine's."),
                    required("format", READ_FORMAT, "How records are written."),
                    optional("options", OPTIONS, "none", "Spark's options of that format, by Spark's names. Every record is "
                            + "one line: `multiLine` and `wholetext` are refused, as are the encodings UTF-16 and UTF-32, flags "
                            + "that are neither true nor false, and options that the format has not. Another value that Spark "
                            + "refuses fails the job. With `header` each csv file's first "
                            + "line must have the schema's names, in its order and whatever their case, and else fails the job: to "
                            + "find columns by name see `columns_by`, to take them by their place alone write "
                            + "`\"enforceSchema\": \"true\"`. `mode` and "
                            + "`columnNameOfCorruptRecord` say nothing: `on_error` does. A json array is a record per element, and "
                            + "if one of them is bad, all are."),
                    optional("schema", new Kind.Ddl(), "`value STRING`, for text only", "Columns as Spark DDL. Where a bad "
                            + "csv record fails the job, those that only `project` operators could read, and none does, are not "
                            + "parsed: what is wrong there goes unseen."),
                    or("columns_by", words("place", "are a line's first ones, in order", "name", "are where the header of their file "
                            + "has their names, in any order and whatever their case"), "\"place\"",
                            "Where in a csv line the schema's columns are. By name needs the option `header`. Files may have "
                            + "different headers. Columns without a name of the schema are left out, a name that a header lacks "
                            + "or has twice fails the job, and a line with another number of columns than its header is a bad "
                            + "record."),
                    optional("columns", new Kind.Whole(1, 100_000), "the schema's count, or more under `ignore`",
                            "How many columns every csv line must have; another number makes a bad record."),
                    or("extra_columns", words("error", "are a bad record", "ignore", "are left out"), "\"error\"",
                            "What the columns of a csv line beyond the schema's are. Fields of a json record beyond the schema "
                            + "are always left out, as Spark does."),
                    or("follow", FLAG, "false", "true: goes on reading as files grow, in turns; a .gz is read once. Twice a second the "
                            + "path is looked at again. New files are read from their beginning. A file is known by its inode: renamed "
                            + "to a name that the path matches it is followed on, and not read again; where its name is another file's, "
                            + "it is read to its end, and the other one from its beginning once that has bytes. What has been "
                            + "renamed is told on standard error. A copy is a new file, and so is a packed one: let no name that "
                            + "a rotation packs or copies to match. With `parallelism` above 1, neither let the names match that it "
                            + "renames to."),
                    or("on_truncate", words("fail", "the job fails", "restart", "it is read again from its beginning, and that is told on "
                            + "standard error"), "\"fail\"", "What to do when a followed file is cut short or written anew. That it was "
                            + "shows when it is shorter than what was read, or the last 256 bytes read are no longer there."),
                    or("replay", REPLAY, "{\"type\": \"as_fast_as_possible\"}", "The pace."),
                    or("preload", FLAG, "false", "true: everything is parsed before the first packet leaves."),
                    or("repeat", new Kind.Whole(0, Long.MAX_VALUE), "1", "How often the files are read; 0 without end.")),
            type(OperatorType.FILE_SINK, "Writes files, always whole lines, bytes as Spark would write them.",
                    required("path", TEXT, "A folder, or its `file:` URI; a file if `single_file`. A pipe, a device or a socket fails "
                            + "the job on the engine. It may not be, hold or lie "
                            + "in what a `file_source` of the graph reads, nor be where its glob can match."),
                    required("format", WRITE_FORMAT, "How records are written."),
                    optional("options", OPTIONS, "none", "Spark's options of that format, by Spark's names; `compression` other "
                            + "than none is refused, as are flags that are neither true nor false, and options that the format "
                            + "has not."),
                    or("single_file", FLAG, "false", "true: `path` is the one file; needs parallelism 1."),
                    or("if_exists", words("error", "the job fails before it writes", "replace", "the first output of this job that can "
                            + "be seen takes its place, and that of rows which earlier jobs left uncommitted; "
                            + "a job that fails before leaves all as it was"),
                            "\"error\"", "What to do when output is there already."),
                    optional("roll_every_ms", MILLIS, "60000 where the input has no end, else 0", "On the engine: shows what it has "
                            + "as a file of its own, or at the end of the single file, when its first row is so old. What was shown "
                            + "stays, however the job ends. 0: when the job has ended well or was stopped."),
                    optional("roll_bytes", new Kind.Whole(0, Long.MAX_VALUE), "0", "The same when it has so many bytes; 0: any number.")),
            type(OperatorType.COLLECT_SINK, "Hands the packets to Python."),
            type(OperatorType.CONSOLE_SINK, "Prints the first 10000 packets of each instance, values cut to 40 characters, and counts the "
                    + "others; on Spark the first 1000, whole."),
            type(OperatorType.DISCARD_SINK, "Counts the packets and drops them.",
                    or("verify", words("none", "nothing", "sampled", "relay packets' sequence, and every 16th payload",
                            "all", "relay packets' sequence and payload"), "\"none\"", "What is verified first. Where several "
                            + "instances shared packets out on their way, nothing is known of their sequence. What is verified is also "
                            + "timed packet by packet, by each one's `due`: the report's `packet_latency_ms`.")),
            type(OperatorType.RELAY, "Passes each packet on.",
                    or("sleep_ms", RATE_OR_ZERO, "0", "Sleeps so long per packet."),
                    or("work_us", RATE_OR_ZERO, "0", "Is busy so long per packet."),
                    optional("steps", new Kind.ListOf(new Kind.Fields(Section.of("sleep_step", "One sleep for some time.",
                            required("for_ms", POSITIVE_MILLIS, "How long."),
                            required("sleep_ms", RATE_OR_ZERO, "Sleep per packet."))), 1), "none",
                            "Sleeps that change with time, in place of `sleep_ms`; the last one stays.")),
            type(OperatorType.PROJECT, "A row of expressions per packet.",
                    required("select", EXPRESSIONS, "`expr AS name`, a column, or `*`.")),
            type(OperatorType.FILTER, "Packets that meet a condition leave by `out`, the others by `rejected`.",
                    required("where", EXPRESSION, "The condition; NULL counts as false.")),
            type(OperatorType.EXPLODE, "One packet per element of an array: the packet's columns, then the element. None for "
                    + "an empty array or NULL.",
                    required("of", EXPRESSION, "The array."),
                    required("as", TEXT, "Name of the element's column.")),
            type(OperatorType.UNION, "Several streams with equal columns into one, in no order."),
            type(OperatorType.SCAN, "A fold in event order. In `next`, `emit_when` and `select` a bare state name is its value "
                    + "before this packet; in `emit_when` and `select`, `next.name` is the value after it.",
                    optional("group_by", GROUP_BY, "one group", "Key: a fold per distinct value. Without it there is one task, "
                                    + "and on Spark one partition."),
                    required("state", STATE, "What the fold keeps; all `next` are computed together."),
                    or("emit_when", EXPRESSION, "\"true\"", "Whether this packet gives a row."),
                    required("select", EXPRESSIONS, "The row: `expr AS name`, a column, a state, or `*` for the packet's "
                            + "columns."),
                    or("emit_at_end", FLAG, "false", "true: at the end of the input one more row per group, in the order in which "
                            + "the groups came. In it `name` and `next.name` both are the final state, the packet's columns are "
                            + "those of the group's last packet in event order, and `emit_when` is not asked. No watermark speaks "
                            + "of these rows, so the stream at `out` has no event time. `stop` without `--flush` gives none.")),
            type(OperatorType.AGGREGATE, "Aggregates over windows, or over everything.",
                    optional("group_by", GROUP_BY, "one group", "Key: expressions; `expr AS name` gives the key a name. Without it "
                                    + "there is one task, and a row per packet is made in one partition on Spark."),
                    optional("window", WINDOW, "everything", "Over which packets."),
                    optional("emit", words("final", "a row per group at the end of the stream", "each",
                            "a row per packet, in event order, over all up to it"), "final where there is no window",
                            "Without a window: when rows leave."),
                    required("select", EXPRESSIONS, "Spark's aggregates, the group's columns, and `window.start`, `window.end` "
                            + "and `window_time` (end - 1 µs) of a tumbling or sliding window.")),
            type(OperatorType.JOIN, "Pairs of left and right packets. Exactly one of `as_of` and `between_ms`.",
                    or("how", words("inner", "pairs only", "left", "left packets without a match too"), "\"inner\"",
                            "What becomes of packets without a match."),
                    optional("on", EXPRESSION, "every pair", "Condition over `left.x` and `right.x`; with `as_of` equalities "
                            + "joined by AND."),
                    optional("as_of", AS_OF, "not an as-of join", "The latest right packet as of the left one."),
                    optional("between_ms", BETWEEN, "not an interval join", "How far apart in event time."),
                    optional("select", EXPRESSIONS, "all columns of both", "The row; needed where names collide.")));

    private OperatorFields() {
    }

    private static Section type(OperatorType type, String doc, FieldSpec... own) {
        List<FieldSpec> fields = new ArrayList<>();
        fields.add(CommonFields.DOC_FIELD);
        fields.addAll(List.of(own));
        if (type.outputs().contains("out")) {
            fields.add(optional("event_time", CommonFields.EVENT_TIME, type.isSource() ? "none" : "the input's, where its column survives",
                    type.isSource() ? "Event time of the stream at `out`."
                            : "Event time of the stream at `out`: the input's, perhaps with another `order_by`. Only sources set it anew."));
        }
        fields.add(or("parallelism", CommonFields.instances(), "1", "How many instances."));
        fields.add(or("on_error", CommonFields.ON_ERROR, "{\"type\": \"fail\"}", "What becomes of a record that cannot be processed."));
        if (!type.isSource()) {
            fields.add(or("schedule", CommonFields.SCHEDULE, "{\"type\": \"data\"}", "When it runs."));
        }
        return new Section(type.word(), doc, fields);
    }
}
