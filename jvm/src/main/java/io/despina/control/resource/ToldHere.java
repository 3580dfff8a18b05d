package io.despina.control.resource;

import io.despina.control.protocol.ControlMessage;
import io.despina.runtime.host.JobCommands;
import io.despina.spec.ControlAnswer;
import io.despina.spec.ControlCommand;
import java.util.ArrayList;
import java.util.List;

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
            told += commands.tell(operator, command, tell.argument(), here::answered);
        }
        here.are(told);
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
