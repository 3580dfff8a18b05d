package io.despina.runtime.task;

import io.despina.operator.Commanded;
import io.despina.operator.Operator;
import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketJson;
import io.despina.runtime.deployment.StageSpec;
import io.despina.spec.ControlCommand;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;

/** Calls of an operator: what they throw is wrapped with the operator's name. */
final class StageCalls {

    /** A call without an answer. */
    interface Call {
        void run() throws Exception;
    }

    private final StageSpec spec;

    StageCalls(StageSpec spec) {
        this.spec = spec;
    }

    void run(Call call) {
        try {
            call.run();
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
    }

    <T> T ask(Callable<T> question) {
        try {
            return question.call();
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
    }

    /** What a user tells the operator. @return false if rows must leave before: call again */
    boolean obey(Operator operator, Mailbox.Command.Tell tell) {
        if (tell.command() == ControlCommand.FLUSH && !ask(operator::release)) {
            return false;
        }
        try {
            if (operator instanceof Commanded knows) {
                knows.command(tell.command(), tell.argument()).whenComplete((words, why) -> tell.answer(why == null,
                        why == null ? words : Reason.of(why)));
            } else {
                tell.answer(true, "");
            }
        } catch (IOException | IllegalArgumentException why) {
            tell.answer(false, Reason.of(why));
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw failed(e);
        }
        return true;
    }

    /**
     * What the task throws in place of an error of an operator that had a packet.
     *
     * @param packet null if it is unknown
     */
    TaskFailedException failed(Error cause, int port, Packet packet) {
        if (packet == null || cause instanceof LinkageError) {      // a class that is missing is no fault of the record
            return failed(cause);
        }
        return TaskFailedException.onRecord(
                new TaskFailedException.Place(spec.operatorId(), spec.instance(), RecordDigest.of(packet)), cause,
                Reason.shortened(PacketJson.text(spec.ports().inputs().get(port), packet), StageContext.LONGEST_RECORD));
    }

    /** What the task throws in place of {@code cause}. */
    TaskFailedException failed(Throwable cause) {
        Throwable why = cause instanceof CompletionException wraps && wraps.getCause() != null ? wraps.getCause() : cause;
        return why instanceof TaskFailedException already ? already
                : new TaskFailedException(spec.operatorId(), spec.instance(), why);
    }
}
