package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import io.despina.spec.Windows;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes the reference page (Markdown) of the graph and deployment files from the declarations. Text common to many fields appears
 * once, before them; a part follows the first table that names it.
 */
final class Reference {
    /** The columns of the input streams of the operators' examples. */
    static final String COLUMNS = "ts TIMESTAMP, id BIGINT, device STRING, celsius DOUBLE, tags ARRAY<STRING>";

    private static final String PREAMBLE = """
            # Reference

            Every field of the graph file and of the deployment file. This page is made from the declarations in
            `io.despina.descriptor` and `io.despina.catalogue` by `make generate`; do not edit it.

            - [How to read the tables](#how-to-read-the-tables): units, limits, parameters
            - [Expressions](#expressions), [time and order](#time-and-order), [bad records and late
              packets](#bad-records-and-late-packets)
            - [The graph](#the-graph): [settings](#settings), [link](#link), [partition](#partition)
            """;
    private static final String CONVENTIONS = """

            ## How to read the tables

            - The end of a name is the unit: `_ms` milliseconds, `_us` microseconds, `_bytes` bytes, `_per_s` per second.
            - Limits are inclusive. A whole number for which no upper limit is named may be as large as 9223372036854775807, a
              time in milliseconds as 9223372036854 (292 years). A number may be as large as a DOUBLE.
            - A field that is not required may be left out; `null` stands nowhere.
            - `${name}` in a string stands for the value of a [parameter](#parameter); not in `doc`. `"${n}"` may stand where
              a number, true, false or a word is wanted. `$${` is a plain `${`.
            - Ids of operators are lower-case letters, digits and `_`, and begin with a letter.

            ## Expressions

            An *expression* is Spark SQL, in a string or in an array of lines. Names of columns and functions may be written
            in any case.

            These are refused: aggregates where one packet is looked at, subqueries, `OVER`; functions that depend on Spark's
            partitions (`monotonically_increasing_id`, `rand(7)` and others of chance that are given a seed), on a catalog or
            on a user; functions that call Java, open a file or load a class; literals for which Spark's parser asks the
            clock, as `DATE 'today'`. Where a function takes a type as text (`from_json`), that is DDL, not JSON.
            [functions.md](functions.md) has all functions of Spark, and what becomes of each.

            `now()`, `current_date()` and the like are one moment in all of a job: when it was accepted, or translated for
            Spark. `rand()` and `uuid()` give other values with each run; `check` warns of them. For chance that is the same
            in each run, hash a column: `pmod(xxhash64(id, 7), 1000) / 1000D`.

            ## Time and order

            A source's [event_time](#event_time) names the column that says when something happened. Windows and joins go by
            it, and so do all operators that depend on the order of packets: `scan`, `changes`, `deduplicate`,
            `absence`, `resample`, `pattern`, joins, `trailing` windows, `emit` `each`.
            Event order is the event time, then `order_by`, then arrival. Without event time, `scan`, `changes`,
            `emit` `each` and `deduplicate` without `within_ms` take packets as they arrive.

            The *watermark* of a stream is its greatest event time so far less `max_delay_ms`. A result leaves when the
            watermark has passed what it depends on. A packet that comes behind that is *late*.

            A packet whose event time is NULL falls into no tumbling or sliding window. Where order counts it is a bad record.

            ### Time per key

            Devices that send when they have a connection have no common time: one comes back after an hour and
            sends what it has kept. With `"per": ["device"]` in a source's `event_time` each device has a clock
            of its own. Its watermark is its own greatest event time less `max_delay_ms`, so it is on time by
            its own clock, and no device waits for another. A device's result leaves when a packet of that
            device moves its clock so far, or at the end of the input. A bad record moves no clock.

            An operator that goes by event time must then be grouped by the columns of `per`, and may be by
            more. It can be a `scan`, `changes`, `deduplicate`, `absence`, `resample`, `pattern`, `top`,
            `sort` with a window, `latest` with `every_ms`, or an `aggregate` with any window, or with `emit` `each`.
            Event order is then the order within a device. What asks for no time can follow too: `project`, `filter`,
            `route`, `explode`, `relay`, `lookup`, `sql`, `java`, `union` without order, `aggregate` and `sort` without a
            window, `latest` without `every_ms`, what has `clock` `processing`, sinks. `check` refuses others: they need one
            clock for all packets.

            Windows that fire before their ends do so by a device's clock too: with `every`, when a packet of the
            device brings its watermark past a multiple. The stream behind them has no event time, because its clock
            would go by their first rows.

            A `join` can be one too, if both its streams have time per key and `on` has an equality for each column of
            `per` on both sides. Either side has clocks of its own, and a device's watermark is the lesser of its two.
            So a device waits until both sides have heard of it, and the end of one side ends that side's clocks of
            all devices. With `between_ms` a pair leaves when this watermark has passed both its packets, in the order
            of the greater of their times.

            The packets of a device must come from one instance of a source, in an order that is at most
            `max_delay_ms` behind, as the author of the graph says. `check` sees to it that they stay in that
            order: they may not be dealt out to several instances on their way, nor take two ways from one
            source to one port. Behind an operator that goes by their clocks, a stream has time per key too, if the columns
            of `per` and the time are selected, and in order: its `max_delay_ms` is 0. (Behind a `resample` whose rows wait
            for the next packet it is `ends_after_ms`.)

            A clock is kept until the end of the job, in memory: some 100 bytes and the device's name. A device
            that falls silent keeps what waits for its clock: its open windows and, in event order, its last
            packet. With `idle_after_ms` it ends them: when nothing has come of a device for so long by the wall
            clock (or up to a quarter longer), its clock moves on as far as what it has begun may last. So its
            last packets are taken, its windows and sessions end, a `pattern` gives up, a `resample` with
            `ends_after_ms` gives its last rows, and an `absence` tells of it, as soon as that. What the device then
            sends of the time before is late. An operator behind this one gets its last rows only then. So it waits twice as
            long, and for as long as two rows may be apart: the size of a window of fixed size, `every_ms` of a `resample`.
            Where rows may be any time apart (sessions, counts, control windows, `pattern`, `absence`, `changes`,
            `deduplicate`, `emit_when`, pairs of a join), their silence says nothing of the device: what is open behind
            waits for the device's next row, or the end. A `control` window without `max_ms` stays open. After a restart silence
            is counted anew. Without `idle_after_ms` an `absence` tells of a device when it sends again, or at the
            end.

            Spark in batch gives the same rows, if no device fell silent. Its streams have one watermark, so
            `per` has no form there.

            ## Bad records and late packets

            A *bad record* is a line that a source cannot parse, or a packet for which an expression fails;
            [on_error](#on_error) says what becomes of it. Under `dead_letter` it leaves by port `errors`, with the columns
            `reason STRING, operator STRING, record STRING`: `record` is the line as it was written, or the packet as JSON. A
            packet that one of its sliding windows cannot take is a bad record, and then is in none of them. So is one whose
            window would begin or end beyond the times of a TIMESTAMP.

            Late packets leave by port `late` as they came. If nothing is linked to it, they are dropped and counted, and
            `check` warns. Port `late` of a `join` has the columns of its left side; late packets of the right side go there
            if their columns are the same.

            Spark has no late packets: the port must not be linked there. It has bad records of sources only.
            """;
    private static final String OPERATORS = """

            ## Operators

            Each example is an entry of `operators`. The streams that they read have the columns
            `%s`,
            and `ts` is their event time.

            ### Fields of every operator

            | field | holds | default | |
            |---|---|---|---|
            """;
    private static final String EXPERIMENTS = """

            ## Operators for experiments

            They measure what the engine itself can do. Their packets come from a `generator_source` whose `rows` are of type
            `packets`: each has a sequence number, the time at which it was due, and a payload of which every byte can be checked.
            """;
    private static final String CLASSES = """

            ## Classes of yours

            `java`, `java_source` and `java_sink` run a class of yours, and so does a `custom` partition. It implements an
            interface of `io.despina.api`, which is in the engine's jar and has its documentation in the source.
            `javac -cp "$(despina jar)"` compiles it, and `examples/java-operator` is a whole project. The class needs a
            public constructor without parameters. Every instance of the operator (of the sender,
            for a partition) has an object of it.

            `despina run --jar mine.jar` runs a graph with it. With a deployment, each resource that hosts the operator names the
            jar in `jars`, as a path of its own machine, and the class in `allow_classes`; a class that is not allowed is never
            loaded. Classes of the jars see Java's own and `io.despina.api`, and nothing else of the engine: a jar brings the
            libraries that it needs. Each job loads them anew.

            What the class keeps in its `state` is part of snapshots and counts as memory of the resource. What it throws for a
            packet makes that a bad record, and names the class, the exception and the line.
            """;
    private final StringBuilder out = new StringBuilder(PREAMBLE);
    private final List<FieldKind> waiting = new ArrayList<>();
    private final Set<String> seen = new LinkedHashSet<>(Set.of("operator"));

    private final GraphFormat format;

    private Reference(GraphFormat format) {
        this.format = format;
    }

    static String write(GraphFormat format) {
        Reference page = new Reference(format);
        page.contents();
        page.out.append(CONVENTIONS).append("\n## The graph\n");
        page.section(format.graph(), null);
        page.parts("###");
        page.out.append(OPERATORS.formatted(COLUMNS));
        OperatorType.SHARED.forEach(page::row);
        page.parts("####");
        page.operators(false);
        page.out.append(EXPERIMENTS);
        page.operators(true);
        page.out.append(CLASSES);
        page.out.append("\n## The deployment\n");
        page.section(Format.DEPLOYMENT, null);
        page.parts("###");
        page.rules();
        return page.out.toString();
    }

    private void operators(boolean forExperiments) {
        for (Section type : format.operator().sections()) {
            if (format.type(type.name()).forExperiments() == forExperiments) {
                operator(type);
                parts("####");
            }
        }
    }

    private void contents() {
        String operators = String.join(", ", format.operator().names().stream().map(n -> link(n, n)).toList());
        out.append("- [Fields of every operator](#fields-of-every-operator)\n- [Operators](#operators): ").append(operators)
                .append("\n- [Classes of yours](#classes-of-yours)\n- [The deployment](#the-deployment)\n- "
                        + "[Rules](#rules): the codes of errors and warnings\n");
    }

    private void operator(Section type) {
        OperatorType ports = format.type(type.name());
        out.append("\n### ").append(type.name()).append("\n\n").append(type.doc())
                .append("\n\n```json\n").append(ports.example()).append("```\n\nPorts: ")
                .append(ports.inputs().isEmpty() ? "no input" : "in " + ticked(ports.inputs())).append("; out ")
                .append(ports.portsOf() == null ? "" : "each key of `" + ports.portsOf() + "`, ")
                .append(ticked(ports.outputs())).append(".\n");
        table(type.fields().stream().filter(f -> !OperatorType.SHARED.contains(f)).toList());
    }

    private void section(Section section, String type) {
        out.append('\n').append(type == null ? "" : "`" + type + "`: ").append(section.doc()).append('\n');
        table(section.fields());
    }

    private void table(List<FieldSpec> fields) {
        if (!fields.isEmpty()) {
            out.append("\n| field | holds | default | |\n|---|---|---|---|\n");
            fields.forEach(this::row);
        }
    }

    private void row(FieldSpec field) {
        String otherwise = field.required() ? "**required**" : field.defaultJson() != null ? "`" + field.defaultJson() + "`"
                : field.defaultWords();
        out.append("| `").append(field.name()).append("` | ").append(holds(field.kind())).append(" | ").append(otherwise)
                .append(" | ").append(field.doc().replace("|", "\\|")).append(" |\n");
    }

    private String holds(FieldKind declared) {
        FieldKind kind = FieldKinds.resolve(declared);
        if (kind instanceof FieldKind.Whole whole) {
            return ("whole number, " + FieldKinds.limits(whole)).replaceAll(", $", "");
        }
        if (kind instanceof FieldKind.Real real) {
            return "number, " + FieldKinds.limits(real);
        }
        if (kind instanceof FieldKind.Text text && text.mostBytes() < Integer.MAX_VALUE) {
            return "string, at most " + text.mostBytes() + " bytes";
        }
        if (kind instanceof FieldKind.Words words) {
            return String.join("; ", words.words().stream().map(w -> "`" + w.name() + "` " + w.doc()).toList());
        }
        if (kind instanceof FieldKind.ListOf list) {
            return "array: " + holds(list.item());
        }
        if (kind instanceof FieldKind.MapOf map) {
            return "object, " + map.keyDoc() + " → " + holds(map.value());
        }
        if (kind instanceof FieldKind.Fields || kind instanceof FieldKind.Variant) {
            String name = kind instanceof FieldKind.Fields fields ? fields.section().name() : ((FieldKind.Variant) kind).name();
            if (seen.add(name)) {
                waiting.add(kind);
            }
            return link(name, name.equals("operator") ? "operators" : name);
        }
        return kind instanceof FieldKind.Flag ? "true or false" : kind instanceof FieldKind.Expression ? "expression"
                : kind instanceof FieldKind.Ddl ? "schema, Spark DDL" : "string";
    }

    /** Writes the parts that tables have named so far, and the parts that these name, under headings of that level. */
    private void parts(String heading) {
        while (!waiting.isEmpty()) {
            FieldKind kind = waiting.remove(0);
            if (kind instanceof FieldKind.Fields fields) {
                out.append('\n').append(heading).append(' ').append(fields.section().name()).append('\n');
                section(fields.section(), null);
            } else if (kind instanceof FieldKind.Variant variant) {
                out.append('\n').append(heading).append(' ').append(variant.name())
                        .append("\n\nAn object with `type`, one of these:\n");
                variants(variant);
            }
        }
    }

    private void variants(FieldKind.Variant variant) {
        boolean bare = variant.sections().stream().allMatch(s -> s.fields().isEmpty());
        if (bare) {
            out.append('\n');
            variant.sections().forEach(s -> out.append("- `").append(s.name()).append("`: ").append(s.doc()).append('\n'));
        } else {
            variant.sections().forEach(s -> section(s, s.name()));
        }
    }

    private void rules() {
        out.append("\n## Rules\n\nThe code in `error[…]` and `warning[…]`.\n\n"
                + "| rule | |\n|---|---|\n");
        for (Rule rule : Rule.values()) {
            out.append("| `").append(rule.code()).append("` | ").append(rule.doc()).append(" |\n");
        }
        out.append("\nA job that fails says so with codes of its own. The most frequent are `operator` (one failed, as its "
                + "message says), `deploy` (a resource cannot run its part), `memory` (what a job needs does not fit), "
                + "`resource_lost` and `internal` (a fault of Despina).\n");
    }

    private static String link(String text, String heading) {
        return "[" + text + "](#" + heading + ")";
    }

    private static String ticked(List<String> names) {
        return String.join(", ", names.stream().map(n -> "`" + n + "`").toList());
    }
}
