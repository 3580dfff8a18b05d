package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.catalogue.CollectSinkDefinition;
import io.despina.catalogue.PythonSourceSpec;
import io.despina.catalogue.SparkSourceSpec;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Environment;
import io.despina.control.members.Member;
import io.despina.control.protocol.ControlMessage;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Spooling;
import io.despina.json.Json;
import io.despina.link.Attempt;
import io.despina.plan.PlannedOperator;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The rows and lines that a job's sinks give to Python, and the rows that Python gives to its sources. Thread-safe; nothing here
 * waits for the job.
 */
final class Exchange {
    private final Map<String, CollectBuffer> collected = new LinkedHashMap<>();
    private final Map<String, Feed> feeds = Collections.synchronizedMap(new LinkedHashMap<>());
    private final Map<String, StagedInput> epochs = new LinkedHashMap<>();
    private final GivenEpochs given = new GivenEpochs(epochs.values());
    private final Attempt attempt;
    private final List<RowPort> ports;
    private final Controls controls;
    private BucketMoves buckets;      // written before it is deployed
    private volatile boolean isPaused;
    /** Null for none. */
    private volatile ObjectNode proposal;
    /** Where it runs; empty before. */
    private volatile List<Member> hosts = List.of();
    /** Guarded by itself. */
    private final Deque<Printed> printed = new ArrayDeque<>();

    private final BadRecordBuffer bad;

    private record Printed(Member by, Message.Lines lines) {
    }

    Exchange(Attempt attempt, JobPlan planned, Submission submission, Environment environment) {
        LongSupplier clock = environment.clock();
        this.attempt = attempt;
        bad = new BadRecordBuffer(attempt.number(), JobOutline.Places.of(planned.graph()).operators());
        controls = new Controls(attempt, planned, environment);
        Spooling spooling = submission.options().spooling();
        ports = RowPort.of(planned, spooling);
        boolean areKept = submission.options().recovery().isLogged() && (spooling == null || !spooling.atOnce());
        for (PlannedOperator operator : planned.plan().operators()) {
            String id = operator.id();
            if (operator.spec() instanceof CollectSinkDefinition.CollectSinkSpec sink) {
                collected.put(id, new CollectBuffer(attempt, new CollectBuffer.Rows(id,
                        sink.rows(operator.inputs().get(0).schema()), planned.plan().settings().timeZone(),
                        areKept ? planned.hostsOf(id) : List.of()), clock));
            } else if (operator.spec() instanceof PythonSourceSpec) {
                feeds.put(id, new Feed(attempt, new Feed.Of(id, planned.hostOf(id), operator.outputs().get(0).schema()), clock,
                        environment.aside()));
            } else if (operator.spec() instanceof SparkSourceSpec) {
                epochs.put(id, new StagedInput(attempt, id, planned.hostsOf(id)));
            }
        }
    }

    /** By collect sink. */
    Map<String, CollectBuffer> collected() {
        return Collections.unmodifiableMap(collected);
    }

    /** The operators whose rows programs of other processes read or give. */
    List<RowPort> ports() {
        return ports;
    }

    /** @return null if the operator gets no rows from Python */
    Feed feed(String operator) {
        return feeds.get(operator);
    }

    /** @return null if programs do not commit rows of the operator */
    StagedInput epochs(String operator) {
        return epochs.get(operator);
    }

    /** What users tell its operators. */
    Controls controls() {
        return controls;
    }

    /** Buckets of its operators are moved by that. */
    void moves(BucketMoves by) {
        buckets = by;
        controls.moves(by);
    }

    BucketMoves buckets() {
        return buckets;
    }

    /** Where its operators would have more room, see {@link LivePlacing}; null for nowhere. */
    void proposed(ObjectNode other) {
        proposal = other;
    }

    ObjectNode proposal() {
        return proposal;
    }

    /** What programs ask to commit. */
    GivenEpochs given() {
        return given;
    }

    /** The bytes of rows that are not taken yet. */
    long waitingBytes() {
        return collected.values().stream().mapToLong(CollectBuffer::waitingBytes).sum();
    }

    /** Handles a message about rows, lines or commands; the job handles all others. */
    void received(Member from, Message message) {
        if (message instanceof Message.Rows rows) {
            collected.get(rows.sink()).add(from, rows);
        } else if (message instanceof ControlMessage.Told told) {
            controls.received(from, told);
        } else if (message instanceof ControlMessage.HandOver || message instanceof ControlMessage.HandedOver) {
            String to = buckets.to(message);
            hosts.stream().filter(member -> member.name().equals(to)).forEach(member -> member.send(message));
        } else if (message instanceof ControlMessage.Instruct told) {
            controls.received(from, told);
        } else if (message instanceof Message.Supplied supplied) {
            feeds.get(supplied.operator()).supplied(supplied.row());
        } else if (message instanceof Message.Lines lines) {
            synchronized (printed) {
                printed.add(new Printed(from, lines));
            }
        }
    }

    /** What operators could not process. */
    BadRecordBuffer bad() {
        return bad;
    }

    /** See {@code Gateway.console}. */
    ObjectNode takeTold() {
        ObjectNode answer = Json.object();
        ArrayNode lines = answer.putArray("lines");
        ArrayNode sinks = answer.putArray("sinks");
        for (Message.Lines each : takeLines()) {
            each.lines().forEach(line -> {
                lines.add(line);
                sinks.add(each.sink());
            });
        }
        answer.set("bad_records", bad.take());
        return answer;
    }

    /** Takes what console sinks printed since the last call; they may then print as much again. */
    List<Message.Lines> takeLines() {
        List<Printed> taken;
        synchronized (printed) {
            taken = List.copyOf(printed);
            printed.clear();
        }
        for (Printed p : taken) {
            long characters = p.lines.lines().stream().mapToLong(String::length).sum();
            p.by.send(new Message.Taken(attempt, p.lines.sink(), characters));
        }
        return taken.stream().map(Printed::lines).toList();
    }

    /** All members are running. */
    void start(Collection<Member> members) {
        hosts = List.copyOf(members);
        collected.values().forEach(each -> each.start(members));
        for (Feed feed : feeds.values()) {
            members.stream().filter(m -> m.name().equals(feed.resource())).forEach(feed::start);
        }
        epochs.values().forEach(each -> each.start(members));
    }

    /** The attempt has failed. @param isReplaced whether the job may go on: then its next attempt takes rows over */
    void fail(boolean isReplaced) {
        isPaused = isReplaced;
        stop();
    }

    /** The job is ending: its sources take nothing more. */
    void stop() {
        if (!isPaused) {
            feeds.values().forEach(Feed::close);
        }
        epochs.values().forEach(StagedInput::close);
    }

    /** The job has been stopped, and programs have had their time to take what is kept for them: the rest is for the next run. */
    void letGo() {
        collected.values().forEach(CollectBuffer::leave);
        hosts.forEach(member -> member.send(new Message.Stop(attempt, Message.Stop.DRAIN, Deadlines.COMMIT_MILLIS)));
    }

    /** What nobody has taken yet of an attempt that has ended is taken here. */
    void goOnFrom(Exchange before) {
        collected.forEach((sink, rows) -> rows.goOnFrom(before.collected.get(sink)));
        feeds.replaceAll((source, fresh) -> {
            Feed feed = before.feeds.get(source);
            feed.goOn(attempt, fresh.resource());
            return feed;
        });
        bad.goOnFrom(before.bad);
        List<Printed> untaken;
        synchronized (before.printed) {
            untaken = List.copyOf(before.printed);
            before.printed.clear();
        }
        synchronized (printed) {
            printed.addAll(untaken);
        }
    }

    /** The job has ended: its sinks give nothing more. */
    void end() {
        hosts = List.of();
        controls.end();
        stop();
        collected.values().forEach(CollectBuffer::end);
    }
}
