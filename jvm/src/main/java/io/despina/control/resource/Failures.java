package io.despina.control.resource;

import io.despina.buffer.BudgetException;
import io.despina.control.assembly.Hints;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Nearest;
import io.despina.operator.HintedException;
import io.despina.operator.MissingColumnException;
import io.despina.operator.OpeningException;
import io.despina.operator.disk.MissingFileException;
import io.despina.runtime.task.TaskFailedException;
import io.despina.snapshot.RottenStatesException;
import io.despina.state.UnfitStateException;

/** What the coordinator is told of a failure. */
final class Failures {
    private static final String MEMORY = "memory";

    private Failures() {
    }

    static Refusal refusal(Throwable e) {
        if (e instanceof TaskFailedException failed) {
            String rule = failed.isOfChannel() ? Message.Failed.CHANNEL
                    : failed.getCause() instanceof RottenStatesException ? Message.Failed.ROTTEN
                    : failed.getCause() instanceof UnfitStateException ? "state"
                    : failed.getCause() instanceof BudgetException ? MEMORY
                    : failed.getCause() instanceof OpeningException ? Message.Failed.OPENING : "operator";
            return new Refusal(rule, failed.getMessage(), hint(failed)).about(failed.operatorId()).on(failed.record());
        }
        return e instanceof BudgetException ? new Refusal(MEMORY, e.getMessage(), null)
                : e instanceof IllegalArgumentException ? new Refusal("deploy", e.getMessage(), null) : Refusal.of(e);
    }

    private static String hint(TaskFailedException failed) {
        if (failed.getCause() instanceof MissingFileException file) {
            return NearFile.hint(file.path());
        }
        if (failed.getCause() instanceof HintedException hinted) {
            return Hints.of(hinted);
        }
        if (failed.getCause() instanceof UnfitStateException) {
            return "let it keep what it kept, or go on without its state: --drop " + failed.operatorId();
        }
        return failed.getCause() instanceof MissingColumnException column ? Nearest.hint(column.column(), column.names())
                : failed.hint();
    }
}
