import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** JUnit 5: the database is as it was seeded before each test of a class with {@code @ExtendWith(SeededDatabase.class)}. */
public final class SeededDatabase implements BeforeEachCallback {
    private static Process process;
    private static Writer input;
    private static BufferedReader output;

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        reset();
    }

    /** The program ends with its input, when the tests' process does. */
    static synchronized void reset() throws IOException {
        if (process == null) {
            process = new ProcessBuilder("bulkload", "seed", "reset", "-D", "app_test", "--serve")
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
            input = process.outputWriter();
            output = process.inputReader();
        }
        input.write("reset\n");
        input.flush();
        String answer = output.readLine();
        if (answer == null || !answer.startsWith("{\"ok\":true")) {
            throw new IllegalStateException("bulkload seed reset: " + answer);
        }
    }
}
