package io.despina.control.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.ControlMessage;
import io.despina.json.Json;
import io.despina.runtime.deployment.StageSpec;
import io.despina.runtime.host.JobCommands;
import io.despina.spec.BucketMap;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import io.despina.spec.InstanceStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What a user has told the instances of operators in this resource, until all have answered. Thread-safe. */
final class ToldHere {
    private final ControlMessage.Tell tell;
    private final ToCoordinator coordinator;

    // guarded by this
    private final List<ControlAnswer> answers = new ArrayList<>();
    /** How many are told; -1 before that is known. */
    private int told = -1;

    private ToldHere(ControlMessage.Tell tell, ToCoordinator coordinator) {
        this.tell = tell;
        this.coordinator = coordinator;
    }

    static void tell(ControlMessage.Tell tell, JobCommands commands, ToCoordinator coordinator) {
        ToldHere here = new ToldHere(tell, coordinator);
        ControlCommand command = ControlCommand.of(tell.command());
        int told = 0;
        for (String operator : tell.operators()) {
            told += switch (command) {
                case STATUS -> commands.status(operator, status -> here.answered(answer(status)));
                case SYNC -> 0;
                case MOVE -> here.move(operator, commands);
                case TAIL -> commands.tail(operator, Integer.parseInt(tell.argument()),
                        (stage, rows) -> here.answered(answer(stage, rows)));
                default -> commands.tell(operator, command, tell.argument(), here::answered);
            };
        }
        told += command == ControlCommand.SYNC ? commands.sync(tell.number(), tell.operators(), here::answered) : 0;
        here.are(told);
    }

    /** {@code prepare NUMBER INSTANCES MAP}, with commas between the instances that give or get, or {@code pass NUMBER}. */
    private int move(String operator, JobCommands commands) {
        String[] words = tell.argument().split(" ", 4);
        long number = Long.parseLong(words[1]);
        return words.length == 2 ? commands.move(number, operator, this::answered)
                : commands.prepareMove(number, operator, BucketMap.parse(words[3]), Arrays.stream(words[2].split(","))
                        .map(Integer::valueOf).collect(Collectors.toSet()), this::answered);
    }

    private static ControlAnswer answer(StageSpec stage, List<String> rows) {
        ObjectNode words = Json.object();
        ArrayNode texts = words.putArray("rows");
        rows.forEach(texts::add);
        return new ControlAnswer(stage.operatorId(), stage.instance(), true, Json.text(words));
    }

    private static ControlAnswer answer(InstanceStatus status) {
        ObjectNode words = Json.object().put("is", status.doing().name().toLowerCase(Locale.ROOT));
        if (status.pause() != null) {
            words.put("paused_by", status.pause().by()).put("paused_ms", status.pause().millis());
        }
        words.put("queued_bytes", status.queue().bytes());
        putKnown(words, "queued_ms", status.queue().millis());
        words.put("state_bytes", status.state().bytes());
        putKnown(words, "state_keys", status.state().keys());
        if (status.state().hasWatermark()) {
            words.put("watermark_us", status.state().watermark());
        }
        return new ControlAnswer(status.operator(), status.instance(), true, Json.text(words));
    }

    private static void putKnown(ObjectNode words, String name, long number) {
        if (number != InstanceStatus.UNKNOWN) {
            words.put(name, number);
        }
    }

    private synchronized void answered(ControlAnswer answer) {
        answers.add(answer);
        answerIfAllHave();
    }

    private synchronized void are(int instances) {
        told = instances;
        answerIfAllHave();
    }

    private void answerIfAllHave() {
        if (answers.size() == told) {
            coordinator.tell(new ControlMessage.Told(tell.attempt(), tell.number(), List.copyOf(answers)));
        }
    }
}
