package io.despina.control.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.json.RecordJson;
import java.io.IOException;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All messages that there are. */
public final class MessageTypes {
    private static final Map<String, Class<? extends Message>> BY_NAME = Stream.<Class<? extends Message>>of(
            Message.Hello.class, Message.Heartbeat.class, Message.Deploy.class, Message.Rehearse.class, Message.Ready.class,
            Message.Start.class, Message.Stop.class, ProgramMessage.Direct.class, ProgramMessage.Directed.class,
            Message.SetSchedule.class, Message.Measure.class, Message.Count.class, Message.Counters.class, Message.Rows.class,
            Message.Had.class, Message.Lines.class, Message.Taken.class, Message.Supply.class, Message.Supplied.class,
            Message.Settled.class, Message.Barrier.class, Message.Frozen.class, Message.NotFrozen.class, Message.Behind.class,
            Message.Complete.class, Message.Committed.class, Message.Drop.class, Message.Drained.class, Message.Conclude.class,
            Message.Finished.class, Message.Failed.class, Message.Forget.class, ProgramMessage.Locate.class,
            ProgramMessage.Located.class, Message.Fate.class, ProgramMessage.Decide.class, ProgramMessage.Decided.class,
            ControlMessage.Tell.class, ControlMessage.Told.class, ControlMessage.HandOver.class, ControlMessage.HandedOver.class,
            ControlMessage.Instruct.class,
            ControlMessage.Instructed.class, ControlMessage.Control.class, ControlMessage.Controlled.class,
            SurveyMessage.Survey.class, SurveyMessage.Surveyed.class, SurveyMessage.Reach.class, SurveyMessage.Reached.class,
            Message.Refused.class, Message.Bye.class, Message.Adopt.class, Message.Adopted.class)
            .collect(Collectors.toMap(MessageName.OF::get, Function.identity()));

    private MessageTypes() {
    }

    /** @throws IllegalArgumentException if it is none of these messages */
    public static Message decode(byte[] message) {
        Message heartbeat = Message.Heartbeat.ofNoPause(message);
        if (heartbeat != null) {
            return heartbeat;
        }
        try {
            JsonNode node = MessageBytes.object(message);
            Class<? extends Message> type = BY_NAME.get(node.path(Message.TYPE).asText());
            if (type == null) {
                throw new IllegalArgumentException("of no known type");
            }
            return RecordJson.read(node, type);
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalArgumentException("malformed control message: " + e.getMessage(), e);
        }
    }
}
