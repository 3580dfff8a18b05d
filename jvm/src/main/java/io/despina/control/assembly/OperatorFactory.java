package io.despina.control.assembly;

import io.despina.descriptor.OperatorType;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Sink;
import io.despina.operator.experiment.DelayingRelay;
import io.despina.operator.experiment.RelayPackets;
import io.despina.operator.experiment.VerifyingSink;
import io.despina.operator.sink.CollectSink;
import io.despina.operator.sink.ConsoleSink;
import io.despina.operator.sink.DiscardSink;
import io.despina.operator.sink.FileSink;
import io.despina.operator.sink.PipeSink;
import io.despina.operator.source.FileSource;
import io.despina.operator.source.Generated;
import io.despina.operator.source.Generator;
import io.despina.operator.source.InputSource;
import io.despina.operator.stateless.Explode;
import io.despina.operator.stateless.Filter;
import io.despina.operator.stateless.Project;
import io.despina.operator.stateless.Relay;
import io.despina.packet.Schema;
import io.despina.plan.OperatorSpec;
import io.despina.plan.Plan;
import io.despina.plan.PlannedOperator;
import io.despina.plan.StandardStreams;
import io.despina.plan.Upstream;
import io.despina.runtime.SystemNotices;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** From what a plan says of an operator to instances of it: the one place that knows both. */
public final class OperatorFactory {
    private static final long NANOS_PER_MS = 1_000_000;
    private static final int DISK_THREADS = 2;
    private static final long KEEP_IDLE_S = 10;

    /** Puts rolled files on disk, so that no worker waits for the disk: a thread or two for all jobs, none while nothing rolls. */
    private static final Executor DISK = disk();

    private final Plan plan;
    private final PythonEnds python;
    private final Runnable firstPacket;
    private final FoldFactory folds;

    /**
     * @param python      null where no operator has an end in Python
     * @param firstPacket run by sinks' threads when their first packets come
     */
    public OperatorFactory(Plan plan, PythonEnds python, Runnable firstPacket) {
        this.plan = plan;
        this.python = python;
        this.firstPacket = firstPacket;
        folds = new FoldFactory(plan.settings().buckets());
    }

    private static Executor disk() {
        ThreadPoolExecutor disk = new ThreadPoolExecutor(DISK_THREADS, DISK_THREADS, KEEP_IDLE_S, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "despina-disk");
            thread.setDaemon(true);
            return thread;
        });
        disk.allowCoreThreadTimeOut(true);
        return disk;
    }

    public Supplier<? extends Operator> supplier(PlannedOperator operator, int instance) {
        return () -> {
            Operator made = make(operator, instance);
            return made instanceof Sink sink ? new FirstPacket(sink, firstPacket) : made;
        };
    }

    private Operator make(PlannedOperator operator, int instance) {
        OperatorSpec spec = operator.spec();
        if (spec instanceof OperatorSpec.Input) {
            return new InputSource(python.input(operator.id()), operator.assigns());
        }
        return switch (operator.type()) {
            case GENERATOR_SOURCE -> generator((OperatorSpec.GeneratorSource) spec, operator);
            case RELAY -> relay((OperatorSpec.Relay) spec);
            case PROJECT -> new Project(((OperatorSpec.Project) spec).select().compiled());
            case FILTER -> new Filter(((OperatorSpec.Filter) spec).where());
            case EXPLODE -> explode((OperatorSpec.Explode) spec, operator);
            case UNION -> new Relay();
            case FILE_SOURCE -> fileSource((OperatorSpec.FileSource) spec, operator);
            case FILE_SINK -> fileSink((OperatorSpec.FileSink) spec);
            case COLLECT_SINK -> new CollectSink(python.rows(operator.id()));
            case CONSOLE_SINK -> new ConsoleSink(lines(operator.id()), ConsoleSink.MOST);
            case DISCARD_SINK -> discard((OperatorSpec.DiscardSink) spec, operator);
            case SCAN, AGGREGATE, JOIN -> folds.make(operator);
        };
    }

    /** Of several console sinks, each line begins with the name of its own: their tables may come at the same time. */
    private ConsoleSink.Lines lines(String sink) {
        List<String> sinks = plan.operators().stream().filter(o -> o.type() == OperatorType.CONSOLE_SINK).map(PlannedOperator::id)
                .toList();
        ConsoleSink.Lines lines = python.lines(sink);
        int width = sinks.stream().mapToInt(String::length).max().orElse(0);
        String name = sink + " ".repeat(width - sink.length()) + " | ";
        return sinks.size() == 1 ? lines : own -> lines.print(own.stream().map(name::concat).toList());
    }

    private Operator fileSource(OperatorSpec.FileSource spec, PlannedOperator operator) {
        return new FileSource(new FileSource.Options(spec.path(),
                new FileSource.Records(spec.format(), spec.options(), spec.schema(),
                        spec.columns(), spec.ignoreExtraColumns(), spec.unread(), plan.settings().timeZone(),
                        plan.settings().ansi()),
                new FileSource.Reading(spec.follow(), spec.replay(), spec.preload(), spec.repeat()),
                operator.assigns(), Expressions::parser),
                new FileSource.Outside(SystemNotices.SHARED, StandardStreams.isMeant(spec.path()) ? python.standardInput() : null));
    }

    private Operator fileSink(OperatorSpec.FileSink spec) {
        FileSink.Options options = new FileSink.Options(
                new FileSink.Place(Path.of(spec.path()), spec.singleFile(), spec.replace(), plan.name()),
                new FileSink.Roll(spec.roll().everyMs() * NANOS_PER_MS, spec.roll().bytes(), DISK),
                new FileSink.Records(spec.format(), spec.options(), plan.settings().timeZone(),
                        plan.settings().ansi()), Expressions::formatter);
        return StandardStreams.isMeant(spec.path()) ? new PipeSink(python.standardOutput(), options) : new FileSink(options);
    }

    private static Operator generator(OperatorSpec.GeneratorSource spec, PlannedOperator operator) {
        Generated rows;
        if (spec.rows() instanceof OperatorSpec.Rows.Packets packets) {
            rows = new Generated.Packets(packets(packets, spec.seed()));
        } else {
            OperatorSpec.Rows.Select select = (OperatorSpec.Rows.Select) spec.rows();
            rows = new Generated.Select(select.select().compiled(), select.select().result(), spec.seed());
        }
        long count = spec.count() == OperatorSpec.GeneratorSource.UNBOUNDED ? Generator.UNBOUNDED : spec.count();
        return new Generator(new Generator.Options(rows, count, spec.rate(), operator.assigns()));
    }

    private static RelayPackets.Options packets(OperatorSpec.Rows.Packets packets, long seed) {
        return new RelayPackets.Options(packets.packetBytes(),
                packets.random() ? RelayPackets.Content.RANDOM : RelayPackets.Content.CONSTANT, seed);
    }

    private static Operator relay(OperatorSpec.Relay spec) {
        if (spec.sleepMs() == 0 && spec.workUs() == 0 && spec.steps().isEmpty()) {
            return new Relay();
        }
        return new DelayingRelay(delays(spec));
    }

    static DelayingRelay.Options delays(OperatorSpec.Relay spec) {
        return new DelayingRelay.Options(spec.sleepMs(), spec.workUs(),
                spec.steps().stream().map(s -> new DelayingRelay.Step(s.forMs(), s.sleepMs())).toList());
    }

    private static Operator explode(OperatorSpec.Explode spec, PlannedOperator operator) {
        Schema in = operator.inputs().get(0).schema();
        return new Explode(new Explode.Options(spec.array().compiled(), spec.array().result(),
                IntStream.range(0, in.size()).map(k -> spec.unread().contains(k) ? Explode.UNREAD : k).boxed().toList()));
    }

    private Operator discard(OperatorSpec.DiscardSink spec, PlannedOperator operator) {
        if (spec.verify() == OperatorSpec.Verify.NONE) {
            return new DiscardSink();
        }
        Upstream upstream = Upstream.of(operator.id(), plan::operator, plan.links());
        PlannedOperator source = plan.operator(upstream.sources().iterator().next());
        OperatorSpec.GeneratorSource made = (OperatorSpec.GeneratorSource) source.spec();
        VerifyingSink.Sequence sequence = !upstream.ordered() ? VerifyingSink.Sequence.ANY
                : upstream.whole() ? VerifyingSink.Sequence.WHOLE : VerifyingSink.Sequence.RISING;
        return new VerifyingSink(new VerifyingSink.Options(packets((OperatorSpec.Rows.Packets) made.rows(), made.seed()),
                source.parallelism(), spec.verify() == OperatorSpec.Verify.ALL, sequence));
    }
}
