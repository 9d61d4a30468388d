import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

class Bot {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        System.out.println("heard " + in.readLine());
        while (in.readLine() != null) { }
    }
}
