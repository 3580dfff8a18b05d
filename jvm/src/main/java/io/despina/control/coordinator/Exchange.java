package io.despina.control.coordinator;

import io.despina.catalogue.CollectSinkDefinition;
import io.despina.catalogue.PythonSourceSpec;
import io.despina.catalogue.SparkSourceSpec;
import io.despina.control.assembly.JobPlan;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import io.despina.plan.PlannedOperator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows and lines that a job's sinks give to Python, and the rows that Python gives to its sources. Thread-safe; nothing here
 * waits for the job.
 */
final class Exchange {
    private final Map<String, CollectBuffer> collected = new LinkedHashMap<>();
    private final Map<String, Feed> feeds = new LinkedHashMap<>();
    private final Map<String, Epochs> epochs = new LinkedHashMap<>();
    private final Attempt attempt;
    private final List<RowPort> ports;
    /** Guarded by itself. */
    private final Deque<Printed> printed = new ArrayDeque<>();

    private record Printed(Member by, Message.Lines lines) {
    }

    Exchange(Attempt attempt, JobPlan planned, Submission submission) {
        this.attempt = attempt;
        ports = RowPort.of(planned, submission.options().spooling());
        for (PlannedOperator operator : planned.plan().operators()) {
            String id = operator.id();
            if (operator.spec() instanceof CollectSinkDefinition.CollectSinkSpec sink) {
                collected.put(id, new CollectBuffer(attempt, id, sink.rows(operator.inputs().get(0).schema()),
                        planned.plan().settings().timeZone()));
            } else if (operator.spec() instanceof PythonSourceSpec) {
                feeds.put(id, new Feed(attempt, id, planned.hostOf(id), operator.outputs().get(0).schema()));
            } else if (operator.spec() instanceof SparkSourceSpec) {
                epochs.put(id, new Epochs(attempt, id, planned.hostsOf(id)));
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
    Epochs epochs(String operator) {
        return epochs.get(operator);
    }

    /** The bytes of rows that are not taken yet. */
    long waitingBytes() {
        return collected.values().stream().mapToLong(CollectBuffer::waitingBytes).sum();
    }

    /** Handles a message about rows or lines; the job handles all others. */
    void received(Member from, Message message) {
        if (message instanceof Message.Rows rows) {
            collected.get(rows.sink()).add(from, rows.packets());
        } else if (message instanceof Message.Supplied supplied) {
            feeds.get(supplied.operator()).supplied(supplied.bytes());
        } else if (message instanceof Message.Lines lines) {
            synchronized (printed) {
                printed.add(new Printed(from, lines));
            }
        }
    }

    /** Takes the lines that console sinks printed since the last call; they may then print as much again. */
    List<String> takeLines() {
        List<Printed> taken;
        synchronized (printed) {
            taken = List.copyOf(printed);
            printed.clear();
        }
        List<String> all = new ArrayList<>();
        for (Printed p : taken) {
            all.addAll(p.lines.lines());
            long characters = p.lines.lines().stream().mapToLong(String::length).sum();
            p.by.send(new Message.Taken(attempt, p.lines.sink(), characters));
        }
        return all;
    }

    /** All members are running. */
    void start(Collection<Member> members) {
        for (Feed feed : feeds.values()) {
            members.stream().filter(m -> m.name().equals(feed.resource())).forEach(feed::start);
        }
        epochs.values().forEach(each -> each.start(members));
    }

    /** The job is ending: its sources take nothing more. */
    void stop() {
        feeds.values().forEach(Feed::close);
        epochs.values().forEach(Epochs::close);
    }

    /** The job has ended: its sinks give nothing more. */
    void end() {
        stop();
        collected.values().forEach(CollectBuffer::end);
    }
}
