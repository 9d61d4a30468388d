import System.IO

main :: IO ()
main = do
  hSetBuffering stdout LineBuffering
  putStrLn "ready"
  line <- getLine
  putStrLn ("heard " ++ line)
  getContents >>= mapM_ return
