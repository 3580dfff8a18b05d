package io.despina.control.protocol;

import static java.util.Map.entry;

import java.util.Map;
import java.util.stream.Collectors;

/** The values of the field {@code type} of messages. */
final class MessageTypes {
    static final Map<String, Class<? extends Message>> BY_NAME = Map.ofEntries(
            entry("hello", Message.Hello.class), entry("heartbeat", Message.Heartbeat.class),
            entry("deploy", Message.Deploy.class), entry("rehearse", Message.Rehearse.class),
            entry("ready", Message.Ready.class), entry("start", Message.Start.class), entry("stop", Message.Stop.class),
            entry("direct", Message.Direct.class), entry("directed", Message.Directed.class),
            entry("set_schedule", Message.SetSchedule.class), entry("measure", Message.Measure.class),
            entry("count", Message.Count.class), entry("counters", Message.Counters.class), entry("rows", Message.Rows.class),
            entry("had", Message.Had.class),
            entry("lines", Message.Lines.class), entry("taken", Message.Taken.class), entry("supply", Message.Supply.class),
            entry("supplied", Message.Supplied.class), entry("settled", Message.Settled.class),
            entry("barrier", Message.Barrier.class), entry("frozen", Message.Frozen.class),
            entry("not_frozen", Message.NotFrozen.class), entry("complete", Message.Complete.class),
            entry("committed", Message.Committed.class), entry("drop", Message.Drop.class),
            entry("drained", Message.Drained.class), entry("conclude", Message.Conclude.class),
            entry("finished", Message.Finished.class), entry("failed", Message.Failed.class),
            entry("forget", Message.Forget.class), entry("locate", Message.Locate.class),
            entry("located", Message.Located.class), entry("fate", Message.Fate.class), entry("decide", Message.Decide.class),
            entry("decided", Message.Decided.class), entry("refused", Message.Refused.class), entry("bye", Message.Bye.class));
    static final Map<Class<? extends Message>, String> NAMES = BY_NAME.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));

    private MessageTypes() {
    }
}
